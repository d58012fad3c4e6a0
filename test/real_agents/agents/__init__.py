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
    Hermes, OpenCode, Kilo, Cline, OpenHands, Vibe, Gemini, Qwen, ClaudeCode, Codex, Copilot,
    Kimi, Continue, Droid, Aider, Goose, Grok, Llm, Pi)}
# Agents that memd reads and this bench cannot run, with the reason.
MISSING = {'cursor': 'Cursor and cursor-agent are in no package registry, only behind an installer of cursor.com, and need an account',
           'thunderus': 'its source offers no built program, and its events.v1 is a specification',
           'crush': 'its npm package holds no program and downloads it from GitHub',
           'zed': 'a desktop program, in no package registry',
           'warp': 'a desktop program, in no package registry, and needs an account',
           'amazon_q': 'its command line is in no package registry, only behind an installer of AWS, and needs an account',
           'kiro': 'its command line is in no package registry, only behind an installer of kiro.dev, and needs an account'}
