#pragma once

// A stand-in for what memd uses of kqueue(2), made of epoll and inotify, so that the source for macOS runs in the
// tests.
#include <fcntl.h>
#include <time.h>

#include <cstdint>

constexpr int16_t EVFILT_VNODE = -4;
constexpr int16_t EVFILT_USER = -10;
constexpr uint16_t EV_ADD = 0x1;
constexpr uint16_t EV_CLEAR = 0x20;
constexpr unsigned NOTE_DELETE = 0x1;
constexpr unsigned NOTE_WRITE = 0x2;
constexpr unsigned NOTE_EXTEND = 0x4;
constexpr unsigned NOTE_LINK = 0x10;
constexpr unsigned NOTE_RENAME = 0x20;
constexpr unsigned NOTE_REVOKE = 0x40;
constexpr unsigned NOTE_TRIGGER = 0x01000000;
constexpr int O_EVTONLY = O_RDONLY;

// `fflags` are not reported: every change of a vnode is taken for one that was asked for.
struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  unsigned fflags;
  intptr_t data;
  void* udata;
};

inline void EV_SET(struct kevent* event, uintptr_t id, int16_t filter, uint16_t flags, unsigned notes, intptr_t data,
                   void* udata) {
  *event = {id, filter, flags, notes, data, udata};
}

int kqueue();
// One change, or a wait for one event.
int kevent(int queue, const struct kevent* changes, int change_count, struct kevent* events, int event_count,
           const timespec* patience);
