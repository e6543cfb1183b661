"""Edition files for tests: a parsed one, changed or made up, written as TOML again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write(content: Mapping[str, Any], path: Path) -> Path:
    """Writes a TOML file; returns its path."""
    lines = [f"{key} = {_inline(value)}" for key, value in content.items() if not _is_table(value)]
    for key, value in content.items():
        for table in value if _is_table(value) and isinstance(value, list) else [value] if _is_table(value) else []:
            lines.append(f"[[{key}]]" if isinstance(value, list) else f"[{key}]")
            lines += [f"{inner} = {_inline(content)}" for inner, content in table.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(each, Mapping) for each in value))


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_inline(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
