"""What was observed of one compaction: the fields are those of the specification of conversation intelligence."""

import json
from dataclasses import asdict, dataclass, field
from typing import Optional


@dataclass
class CompactionObservation:
    scenario_name: str
    platform: str
    timestamp: str  # RFC 3339

    # Trigger conditions
    messages_sent: int = 0
    total_tokens_estimated: int = 0  # of all texts, four characters a token
    duration_seconds: float = 0

    # Compaction detection, by what memd read from the agent's records
    compaction_occurred: bool = False
    compaction_detected_at: Optional[int] = None  # number of the message after which it was seen, from 1
    compaction_trigger: Optional[str] = None  # token_limit, manual or unknown

    # Data preservation
    pre_compaction_snapshot: dict = field(default_factory=dict)
    post_compaction_snapshot: dict = field(default_factory=dict)
    data_preserved: dict = field(default_factory=dict)  # kind of fact -> whether memd's pack has it

    # memd
    extraction_success: bool = False
    extraction_completeness: float = 0.0  # share of the prompts and answers that memd returns, 0.0 to 1.0
    query_performance_ms: dict = field(default_factory=dict)  # tool -> milliseconds; -1: the platform lacks what it needs

    # Platform
    platform_behavior: dict = field(default_factory=dict)  # version, how it was observed, kind of fact -> kept in its context
    storage_changes: dict = field(default_factory=dict)  # path below the home -> added, grown, rewritten or deleted

    # Continuity
    conversation_continuity: bool = False  # context and pack together hold the goal, the constraint, the error and the next step
    context_quality: float = 0.0  # share of the facts that context and pack together hold, 0.0 to 1.0

    def save(self, path):
        with open(path, 'w') as out:
            json.dump(asdict(self), out, indent=1, ensure_ascii=False)
            out.write('\n')
