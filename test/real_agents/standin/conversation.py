"""What the dialects read from a request and write into an answer, without any dialect's words."""
from dataclasses import dataclass, field


@dataclass
class Tool:
    """A tool that the agent offers. `schema` is the JSON schema of its arguments."""
    name: str
    schema: dict = field(default_factory=dict)
    namespace: str = ''      # OpenAI Responses: tools of an MCP server
    is_freeform: bool = False  # OpenAI Responses: the argument is one text
    is_search: bool = False    # OpenAI Responses: offers tools that are not listed yet


@dataclass
class Message:
    role: str  # 'user' or 'assistant'; results of tools are messages of the user
    text: str = ''
    calls: list = field(default_factory=list)    # ids
    results: dict = field(default_factory=dict)  # by the id of the call


@dataclass
class Request:
    messages: list
    tools: list
    system: str = ''
    model: str = ''
    answer_schema: dict = None  # the agent wants JSON of this schema; {} if it names none
    wants_thinking: bool = False

    def last_text(self):
        """The last text of the user, '' if there is none."""
        return next((m.text for m in reversed(self.messages) if m.role == 'user' and m.text.strip()), '')


@dataclass
class Call:
    id: str
    kind: str       # the scenario's word: read, shell, edit …
    tool: Tool
    arguments: object  # a dict; a text where the tool is free-form


@dataclass
class Tokens:
    input: int  # with `cached`
    output: int
    cached: int = 0


@dataclass
class Answer:
    kind: str  # 'step', 'summary', 'json', 'side' (a title and the like), 'end' (of a turn), 'stray' (no turn is known)
    say: str = ''
    think: str = ''
    calls: list = field(default_factory=list)
    turn: str = ''
    step: int = 0
    usage: dict = field(default_factory=dict)  # as the scenario says it
    stalls: bool = False
    tail: str = ''  # sent behind the words, not logged
    tokens: Tokens = None

    def parts(self):
        """The text in two parts, as a stream sends it."""
        half = len(self.say) // 2
        return [part for part in (self.say[:half], self.say[half:]) if part]


def text_of(content):
    """The text of a message's content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return '\n'.join((p.get('text') or p.get('tool_name') or '') if isinstance(p, dict) else str(p) for p in content)
    return ''
