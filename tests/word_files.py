"""Word files for tests, written part by part: what Word would write, and what nobody should."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MORE = (
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:wp="urn:wp" xmlns:a="urn:a" xmlns:v="urn:v" '
    'xmlns:w14="urn:w14"'
)


def run(text: str, properties: str = "") -> str:
    """A run; `properties` is the inside of its w:rPr."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(inside: str, properties: str = "") -> str:
    """A paragraph of runs; plain text becomes one. `properties` is the inside of its w:pPr."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{inside if inside.startswith('<') or not inside else run(inside)}</w:p>"


def numbered(text: str, level: int, name: str = "1", more: str = "") -> str:
    """A paragraph of a list, by itself."""
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{name}"/></w:numPr>{more}')


def level(at: int, form: str, text: str, more: str = "", start: int = 1) -> str:
    """A level of a list."""
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def numbering(levels: str, lists: Mapping[str, str]) -> str:
    """numbering.xml with one kind of list. `lists`: id -> the inside of its w:num behind the kind."""
    nums = "".join(f'<w:num w:numId="{name}"><w:abstractNumId w:val="0"/>{inside}</w:num>' for name, inside in lists.items())
    return f'<w:numbering {W}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{nums}</w:numbering>'


def write_word(path: Path, body: Sequence[str] | str, *, main: str | None = None, kind: str = MAIN, **parts: str) -> Path:
    """A Word file. `body`: paragraphs and tables. `main`: the whole main part instead. `parts`: styles, footnotes, ..."""
    inside = body if isinstance(body, str) else "".join(body)
    main = main or f"<w:document {W} {_MORE}><w:body>{inside}</w:body></w:document>"
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
    relations = "".join(f'<Relationship Id="{name}" Type="{_RELATED}/{name}" Target="{name}.xml"/>' for name in parts)
    outside = f'<Relationship Id="x" Type="{_RELATED}/attachedTemplate" Target="http://127.0.0.1:9/t.dotm" TargetMode="External"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", types)
        file.writestr("_rels/.rels", _relations(f'<Relationship Id="d" Type="{_RELATED}/officeDocument" Target="word/document.xml"/>'))
        file.writestr("word/document.xml", main)
        file.writestr("word/_rels/document.xml.rels", _relations(relations + outside))
        for name, part in parts.items():
            file.writestr(f"word/{name}.xml", part)
    return path


def _relations(inside: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'
