#!/usr/bin/env python3
"""Clients that lie about what their user said. Nothing is written without one true yes to the question that was asked.

Usage: consent.py MEMD. Each lie has a memd and a home of its own; afterwards the same memd is told the truth."""

import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

PATIENCE = 60
YES, NO = {"action": "accept"}, {"action": "decline"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}

# Answers that are no yes. A member "jsonrpc" and the id are added.
NO_YES = [{"result": lie} for lie in (
    None, True, "accept", ["accept"], 1, {}, {"action": "ACCEPT"}, {"action": "accept "}, {"action": True},
    {"action": ["accept"]}, {"action": {"accept": True}}, {"accept": True}, {"content": {"action": "accept"}},
    {"action": "decline", "content": YES}, {"action": "cancel"}, {"result": YES})]
NO_YES += [{"error": {"code": -1, "message": "accept"}}, {"error": YES, "result": YES}, {"params": YES}]


class Client:
    def __init__(self, memd, home):
        self.home = pathlib.Path(home)
        self.process = subprocess.Popen(
            [memd, "--home", home, "--data-dir", home + "/data", "--stdio", "--standalone"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=home)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.last = 0

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def send(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def receive(self):
        return self.lines.get(timeout=PATIENCE)

    def shake_hands(self):
        self.send(id="hello", method="initialize",
                  params={"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}})
        assert self.receive()["id"] == "hello"

    def write(self, title, **more):
        self.last += 1
        self.send(id=self.last, method="tools/call", params={"name": "memory_write", "arguments": {
            "action": "create", "type": "learning", "title": title, "text": title + " is so.", "force": True}, **more})
        return self.last

    def question(self):
        asked = self.receive()
        assert asked.get("method") == "elicitation/create", asked
        return asked["id"]

    def result(self, of):
        answer = self.receive()
        assert answer.get("id") == of, answer
        return answer

    def settled(self):
        """Waits until all that was sent has been handled, and returns what came meanwhile."""
        self.send(id="settled", method="ping")
        came = []
        while (message := self.receive()).get("id") != "settled":
            came.append(message)
        return came

    def written(self):
        return sorted(f.name for f in (self.home / ".claude").rglob("*.md")) if (self.home / ".claude").exists() else []

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def told_the_truth(client):
    call = client.write("The truth")
    client.send(id=client.question(), result=YES)
    expect(not client.result(call)["result"]["isError"], "a true yes is refused")
    expect(client.written() == ["learning-the-truth.md"], f"{client.written()} after one yes")


def no_yes(lie):
    def play(client):
        call = client.write("A lie")
        question = client.question()
        client.send(id=question, **lie)
        if "params" in lie:  # no answer at all
            client.settled()
            client.send(id=question, result=NO)
        answer = client.result(call)
        expect("error" in answer or answer["result"]["isError"], f"{lie} is taken for a yes: {answer}")
    return play


def after_the_fact(client):
    call = client.write("A lie")
    question = client.question()
    client.send(method="notifications/cancelled", params={"requestId": call})
    client.send(id=question, result=YES)
    expect(not any("result" in m and m.get("id") == call for m in client.settled()), "a cancelled call is answered")


def twice(client):
    call = client.write("A lie")
    question = client.question()
    client.send(id=question, result=NO)
    client.send(id=question, result=YES)
    expect(client.result(call)["result"]["isError"], "the second answer counts")
    client.settled()


def for_another_id(client):
    call = client.write("A lie")
    question = client.question()
    for other in (question + "x", question[:-1], "", 0, call, question.upper(), [question]):
        if other != question:
            client.send(id=other, result=YES)
    came = client.settled()
    expect(not any(m.get("id") == call for m in came), f"a yes to another question counts: {came}")
    client.send(id=question, result=NO)
    expect(client.result(call)["result"]["isError"], "no is taken for a yes")


def for_the_other_of_two(client):
    first = client.write("The first")
    asked_first = client.question()
    second = client.write("The second")
    asked_second = client.question()
    client.send(id=asked_second, result=NO)
    expect(client.result(second)["result"]["isError"], "no is taken for a yes")
    client.send(id=asked_second, result=YES)
    client.send(id=asked_first, result=NO)
    expect(client.result(first)["result"]["isError"], "the yes of another call counts")


def before_it_is_asked(client):
    for n in range(1, 9):
        client.send(id=f"memd-{n}", result=YES)
    twice(client)


def stateless(client):
    def ask(title="A lie", **more):
        call = client.write(title, _meta=META, **more)
        return client.result(call)

    def refused(answer, what):
        result = answer.get("result", {})
        expect("error" in answer or result.get("isError") or result.get("resultType") == "input_required",
               f"{what}: {answer}")
        expect(client.written() == [], what)

    first = ask()["result"]
    (key,), state = first["inputRequests"], first["requestState"]
    refused(ask(inputResponses={key: YES}), "a yes without the state of its question")
    refused(ask(inputResponses={key: YES}, requestState="0" * 32), "a yes with a made-up state")
    refused(ask("Another", inputResponses={key: YES}, requestState=state), "a yes to another question")
    for lie in NO_YES:
        if "result" not in lie or "error" in lie:
            continue
        again = ask()["result"]
        refused(ask(inputResponses={key: lie["result"]}, requestState=again["requestState"]), f"{lie} for a yes")
    again = ask()["result"]
    refused(ask(inputResponses={"person-0": YES, key + "0": YES, key.upper(): YES}, requestState=again["requestState"]),
            "a yes under another key")
    again = ask()["result"]
    refused(ask(inputResponses={key: NO}, requestState=again["requestState"]), "a no")
    refused(ask(inputResponses={key: YES}, requestState=again["requestState"]), "a second answer")


def main():
    memd = str(pathlib.Path(sys.argv[1]).resolve())
    plays = [(f"legacy: {json.dumps(lie)}", no_yes(lie)) for lie in NO_YES]
    plays += [(f"legacy: {play.__name__}", play) for play in (
        after_the_fact, twice, for_another_id, for_the_other_of_two, before_it_is_asked)]
    plays.append(("stateless", stateless))
    failed = 0
    for name, play in plays:
        with tempfile.TemporaryDirectory() as home:
            client = Client(memd, home)
            try:
                client.shake_hands()
                play(client)
                expect(client.written() == [], f"{client.written()} was written")
                told_the_truth(client)
            except (AssertionError, queue.Empty, KeyError) as error:
                failed += 1
                print(f"FAIL {name}: {error!r}")
            client.end()
    print(f"{len(plays)} lies, {failed} believed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
