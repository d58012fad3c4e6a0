"""The drivers, by the name that memd has for the agent."""
from .claude_code import ClaudeCode
from .cline import Cline
from .codex import Codex
from .gemini import Gemini
from .grok import Grok
from .opencode import OpenCode
from .pi import Pi

# In the order in which the bench begins them: those that take longest first.
DRIVERS = {driver.name: driver for driver in (OpenCode, Cline, Gemini, ClaudeCode, Codex, Grok, Pi)}
# Agents that memd reads and this bench cannot run, with the reason.
MISSING = {'cursor': 'Cursor and cursor-agent are in no package registry, only behind an installer of cursor.com, and need an account',
           'thunderus': 'its source offers no built program, and its events.v1 is a specification'}
