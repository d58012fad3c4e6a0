"""The drivers, by the name that memd has for the agent."""
from .aider import Aider
from .claude_code import ClaudeCode
from .cline import Cline
from .codex import Codex
from .continue_cli import Continue
from .copilot import Copilot
from .droid import Droid
from .gemini import Gemini
from .goose import Goose
from .grok import Grok
from .hermes import Hermes
from .kilo import Kilo
from .kimi import Kimi
from .llm import Llm
from .opencode import OpenCode
from .openhands import OpenHands
from .pi import Pi
from .qwen import Qwen
from .vibe import Vibe

# In the order in which the bench begins them: those that take longest first.
DRIVERS = {driver.name: driver for driver in (
    OpenCode, Kilo, Cline, OpenHands, Vibe, Gemini, Qwen, ClaudeCode, Codex, Copilot, Kimi, Droid, Aider, Continue, Goose, Grok, Hermes, Llm, Pi)}
# Agents that memd reads and this bench cannot run, with the reason.
MISSING = {'cursor': 'Cursor and cursor-agent are in no package registry, only behind an installer of cursor.com, and need an account',
           'thunderus': 'its source offers no built program, and its events.v1 is a specification',
           **dict.fromkeys(('amazon_q', 'crush', 'kiro', 'warp', 'zed'),
                           'the bench has no driver for it yet; it is read as public sources write it'),
           }
