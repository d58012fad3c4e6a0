#!/usr/bin/env python3
"""Fails unless the ad-hoc signature of a Mach-O program is that of its bytes, or macOS would end it at its start.

check_signature.py PROGRAM. The format: Apple's cs_blobs.h and mach-o/loader.h.
"""

import hashlib
import struct
import sys

LC_CODE_SIGNATURE = 0x1D
EMBEDDED_SIGNATURE, CODE_DIRECTORY = 0xFADE0CC0, 0xFADE0C02
HEADER = 32  # bytes of a mach_header_64


def code_directory(program):
    at = HEADER
    for _ in range(struct.unpack_from('<I', program, 16)[0]):
        command, size, offset = struct.unpack_from('<III', program, at)
        if command == LC_CODE_SIGNATURE:
            magic, _, blobs = struct.unpack_from('>III', program, offset)
            for index in range(blobs if magic == EMBEDDED_SIGNATURE else 0):
                blob = offset + struct.unpack_from('>I', program, offset + 16 + 8 * index)[0]
                if struct.unpack_from('>I', program, blob)[0] == CODE_DIRECTORY:
                    return blob
        at += size
    sys.exit(f'{sys.argv[1]}: it has no signature, without which macOS does not start it')


def main():
    with open(sys.argv[1], 'rb') as file:
        program = file.read()
    at = code_directory(program)
    hashes, pages, limit = at + struct.unpack_from('>I', program, at + 16)[0], *struct.unpack_from('>II', program, at + 28)
    size, kind, _, page = struct.unpack_from('>BBBB', program, at + 36)
    if (size, kind) != (32, 2):
        sys.exit(f'{sys.argv[1]}: its signature is of another kind than SHA-256')
    for index in range(pages):
        begin = index << page
        told = program[hashes + size * index :][:size]
        if hashlib.sha256(program[begin : min(begin + (1 << page), limit)]).digest() != told:
            sys.exit(f'{sys.argv[1]}: its signature is of other bytes')


main()
