#!/usr/bin/env python3
"""Makes prices.yaml from the wheel of genai-prices (PyPI, MIT): make_prices.py genai_prices-0.2.3-py3-none-any.whl >prices.yaml

Needs only the standard library: the data file of the package is evaluated with stand-ins for its classes. The package
has no prices of fast mode for two models and none of Sonnet 4 for long prompts; OWN holds those, with their sources.
"""
import builtins
import datetime
import re
import sys
import zipfile
from decimal import Decimal

MAKERS = ["anthropic", "openai", "google", "x-ai", "mistral", "deepseek", "moonshotai", "zai", "zhipuai", "minimax",
          "meta", "cursor"]
# Makers whose own price lists the package does not have: what OpenRouter charges, which is what they charge there.
AT_OPENROUTER = ["qwen", "xiaomi", "inception", "kwaipilot", "stepfun", "nvidia", "amazon"]
NOT_FOR_CODE = re.compile(r"image|audio|tts|transcri|whisper|realtime|embed|ocr|moderation|live|imagen|veo|voxtral|"
                          r"robotics|search|similarity|ada|babbage|curie|davinci|instruct-0914|safeguard|banana|omni|"
                          r"voice|guard|ft:|:free|:batch|:thinking|computer-use|translat|vision|-vl")
WHEN = {"fast": {("speed", "fast"), ("service_tier", "priority")}, "flex": {("service_tier", "flex")},
        "batch": {("processing", "batch")}}

# name -> entries that are added. https://platform.claude.com/docs/en/build-with-claude/fast-mode (2026-02: Opus 4.6,
# 6 times the price, 12 times input above 200,000; until the long prompts' surcharge went on 2026-03-13),
# https://openrouter.ai/anthropic/claude-opus-4.7-fast, https://platform.claude.com/docs/en/about-claude/pricing
# (long context of Sonnet 4, 2025-08-12).
OWN = {
    "claude-opus-4-6": [
        "{tier: fast, input: 30, output: 150, cache_read: 3, cache_creation: 37.5, cache_creation_1h: 60}",
        "{tier: fast, above: 200000, input: 60, output: 225, cache_read: 6, cache_creation: 75, "
        "cache_creation_1h: 120}",
        "{tier: fast, from: 2026-03-13, input: 30, output: 150, cache_read: 3, cache_creation: 37.5, "
        "cache_creation_1h: 60}"],
    "claude-opus-4-7": [
        "{tier: fast, input: 30, output: 150, cache_read: 3, cache_creation: 37.5, cache_creation_1h: 60}"],
    "claude-sonnet-4-0": [
        "{above: 200000, input: 6, output: 22.5, cache_read: 0.6, cache_creation: 7.5, cache_creation_1h: 12, "
        "web_search: 10}"],
}
# Since when a model takes long prompts, and charges more for them: its release, or that of its long context.
LONG_PROMPTS = {"claude-sonnet-4-0": "2025-08-12", "claude-sonnet-4-5": "2025-09-29", "claude-opus-4-6": "2026-02-05",
                "claude-sonnet-4-6": "2026-02-17"}
KINDS = {"input": "input_mtok", "output": "output_mtok", "cache_read": "cache_read_mtok",
         "cache_creation": "cache_write_mtok", "cache_creation_1h": "cache_write_1h_mtok"}


class Plain:
    def __init__(self, **values):
        self.__dict__.update(values)


class Classes(dict):
    def __missing__(self, name):
        if hasattr(builtins, name):
            return getattr(builtins, name)
        self[name] = type(name, (Plain,), {})
        return self[name]


def providers_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        source = archive.read("genai_prices/data.py").decode().replace("from .types import *", "")
    names = Classes(datetime=datetime, Decimal=Decimal)
    exec(compile(source, "data.py", "exec"), names)
    return {p.id: p for p in names["providers"]}


def kind(thing):
    return type(thing).__name__


def names_of(match):
    """Names that a clause accepts; a trailing * stands for any rest."""
    if kind(match) in ("ClauseOr", "ClauseAnd"):
        parts = [n for part in next(iter(match.__dict__.values())) for n in names_of(part)]
        return parts if kind(match) == "ClauseOr" else parts[:1]
    text = next(iter(match.__dict__.values()))
    if kind(match) == "ClauseEquals":
        return [text]
    if kind(match) == "ClauseStartsWith":
        return [text + "*"]
    return []  # expressions are of dates and versions, which memd takes off a name by itself


def plain(name):
    return name.lower().replace(".", "-")


def without_date(name):
    name = re.sub(r"-latest$", "", plain(name).replace("@", "-"))
    return re.sub(r"-(\d{8}|\d{4}-\d\d-\d\d)$", "", name)


def price_at(price, start):
    """The price for prompts above `start` tokens."""
    if kind(price) != "TieredPrices":
        return price
    out = price.base
    for tier in price.tiers:
        if tier.start <= start:
            out = tier.price
    return out


def entries_of(prices, tags, base=None):
    values = {k: getattr(prices, v, None) for k, v in KINDS.items()}
    if base is not None:  # a variant has only what differs
        values = {k: getattr(base, KINDS[k], None) if v is None else v for k, v in values.items()}
    if values["input"] is None or values["output"] is None:
        return []
    if values["cache_read"] is None:
        values["cache_read"] = values["input"]
    if values["cache_creation"] is None:
        values["cache_creation"] = values["input"]
    starts = {0} | {t.start for v in values.values() if kind(v) == "TieredPrices" for t in v.tiers}
    out = []
    for start in sorted(starts):
        parts = dict(tags)
        if start:
            parts["above"] = start
        for name, value in values.items():
            if value is not None:
                parts[name] = f"{price_at(value, start).normalize():f}"
        searches = getattr(prices, "web_searches_kcount", None) or getattr(base, "web_searches_kcount", None)
        if searches is not None:
            parts["web_search"] = f"{price_at(searches, start).normalize():f}"
        out.append("{" + ", ".join(f"{k}: {v}" for k, v in parts.items()) + "}")
    return out


def tags_of(constraint):
    if kind(constraint) == "StartDateConstraint":
        return {"from": constraint.start_date.isoformat()}
    if kind(constraint) == "TimeOfDateConstraint":
        return {"hours": f'"{constraint.start_time:%H:%M}-{constraint.end_time:%H:%M}"'}
    return {}


def entries_of_model(model):
    prices = model.prices if isinstance(model.prices, list) else [model.prices]
    dated = [(p, {}) if kind(p) == "ModelPrice" else (p.prices, tags_of(getattr(p, "constraint", None)))
             for p in prices]
    # An hour's price follows the newest price of the model, and holds from its day on.
    newest = max((t["from"] for _, t in dated if "from" in t), default=None)
    out = []
    for price, tags in dated:
        if "hours" in tags and newest:
            tags = {"from": newest, **tags}
        out += entries_of(price, tags)
    seen = set()
    for variant in getattr(model, "price_variants", None) or []:
        for tier, when in WHEN.items():
            if set(variant.when.items()) & when and tier != "batch":
                tags = {"tier": tier, **tags_of(getattr(variant, "constraint", None))}
                found = entries_of(variant.prices, tags, dated[-1][0])
                out += [e for e in found if e not in seen]
                seen |= set(found)
    return out


def main():
    wheel = sys.argv[1]
    providers = providers_of(wheel)
    version = re.search(r"genai_prices-([\d.]+)-", wheel).group(1)
    lines, taken, dates = [], set(), set()
    chosen = [(maker, model, model.id) for maker in MAKERS for model in providers[maker].models]
    chosen += [(maker, model, model.id.split("/", 1)[1]) for maker in AT_OPENROUTER
               for model in providers["openrouter"].models if model.id.startswith(maker + "/")]
    maker_before = None
    for maker, model, name in chosen:
        if NOT_FOR_CODE.search(name) or (maker == "google" and "claude" in name):
            continue
        if maker == "cursor" and not name.startswith("composer"):
            continue
        entries = entries_of_model(model)
        entries += OWN.get(name, [])
        if name in LONG_PROMPTS:
            entries = [re.sub(r"^\{((?:tier: \w+, )?)above:", f"{{\\1from: {LONG_PROMPTS[name]}, above:", e) for e in entries]
        if not entries or all(float(x) == 0 for x in re.findall(r"put: ([\d.]+)", " ".join(entries))):
            continue
        names = []
        for other in [name] + [n.split("/", 1)[-1] for n in names_of(model.match)]:
            exact = plain(other)
            if any(c in other for c in ":[,") or exact in taken or not exact.strip("*"):
                continue
            short = without_date(exact)
            if short != exact and (short in taken or short in map(plain, names)) and not exact.endswith("latest"):
                if plain(names[0] if names else "") == short or short in map(plain, names):
                    continue  # memd takes the date off
            taken.add(exact)
            names.append(other)
        if not names or names[0] != name:
            continue
        if maker != maker_before:
            lines.append(f"# {maker}" + (", as sold by OpenRouter" if maker in AT_OPENROUTER else ""))
            maker_before = maker
        dates |= set(re.findall(r"from: ([\d-]+)", " ".join(entries)))
        lines.append(f"{', '.join(names)}: [{', '.join(entries)}]")
    today = datetime.date.today().isoformat()
    print("# Prices of models: US dollars for a million tokens; web_search: for a thousand searches. Of the prices of a")
    print("# model the last one applies that fits: from (a day, UTC), hours (UTC), tier, above (tokens of the prompt).")
    print("# A name with * stands for all that begin so. Made by daemon/usage/make_prices.py: change that.")
    print(f"# date: {max(d for d in dates if d <= today)}")
    print(f"# source: genai-prices {version}")
    print("# licence: MIT, Copyright (c) Pydantic Services Inc. 2025 to present, https://github.com/pydantic/genai-prices")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
