"""Jurisdictions whose law governs loan agreements: names, adjectives, and which larger one they belong to (own table)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`names` stand after "laws of", `adjectives` before "law"; `part_of` is the key of a larger jurisdiction or ""."""

    key: str
    names: tuple[str, ...]
    adjectives: tuple[str, ...]
    part_of: str = ""


# key | names | adjectives | part of; a key is a name too, and every name does as an adjective ("Singapore law").
_ROWS = """
england | england and wales;england & wales;england;english courts | english | uk
scotland | scotland | scots;scottish | uk
northern ireland | northern ireland | northern irish | uk
uk | united kingdom;uk;united kingdom of great britain and northern ireland;great britain | british |
ireland | ireland;republic of ireland;eire | irish |
jersey | jersey;bailiwick of jersey;island of jersey | |
guernsey | guernsey;bailiwick of guernsey;island of guernsey | |
isle of man | isle of man | manx |
usa | united states of america;united states;usa;us | american;us federal |
new york | new york;new york state;state of new york | ny | usa
canada | canada | canadian |
ontario | ontario;province of ontario | | canada
british columbia | british columbia;province of british columbia | | canada
alberta | alberta;province of alberta | | canada
quebec | quebec;province of quebec | | canada
singapore | singapore;republic of singapore | singaporean |
china | people's republic of china;peoples republic of china;prc;mainland china;china | chinese |
hong kong | hong kong;hk;hong kong sar;hksar;hong kong special administrative region | | china
macau | macau;macao;macao sar;macau sar | | china
taiwan | taiwan;republic of china | taiwanese |
japan | japan | japanese |
korea | korea;republic of korea;south korea | korean;south korean |
india | india;republic of india | indian |
pakistan | pakistan;islamic republic of pakistan | pakistani |
bangladesh | bangladesh | bangladeshi |
sri lanka | sri lanka | sri lankan |
malaysia | malaysia | malaysian |
indonesia | indonesia;republic of indonesia | indonesian |
thailand | thailand;kingdom of thailand | thai |
philippines | philippines;republic of the philippines | philippine;filipino |
vietnam | vietnam;viet nam;socialist republic of vietnam | vietnamese |
australia | australia;commonwealth of australia | australian |
new south wales | new south wales;state of new south wales;nsw | | australia
victoria | victoria;state of victoria | victorian | australia
queensland | queensland;state of queensland | | australia
western australia | western australia;state of western australia | | australia
south australia | south australia;state of south australia | | australia
new zealand | new zealand | |
france | france;french republic | french |
germany | germany;federal republic of germany | german |
luxembourg | luxembourg;grand duchy of luxembourg;grand-duchy of luxembourg | luxembourgish;luxembourgeois |
netherlands | netherlands;the netherlands;kingdom of the netherlands;holland | dutch |
belgium | belgium;kingdom of belgium | belgian |
italy | italy;republic of italy;italian republic | italian |
spain | spain;kingdom of spain | spanish |
catalonia | catalonia | catalan | spain
portugal | portugal;portuguese republic | portuguese |
switzerland | switzerland;swiss confederation | swiss |
liechtenstein | liechtenstein;principality of liechtenstein | |
austria | austria;republic of austria | austrian |
sweden | sweden;kingdom of sweden | swedish |
norway | norway;kingdom of norway | norwegian |
denmark | denmark;kingdom of denmark | danish |
finland | finland;republic of finland | finnish |
iceland | iceland | icelandic |
poland | poland;republic of poland | polish |
czech republic | czech republic;czechia | czech |
hungary | hungary | hungarian |
romania | romania | romanian |
bulgaria | bulgaria;republic of bulgaria | bulgarian |
greece | greece;hellenic republic | greek;hellenic |
cyprus | cyprus;republic of cyprus | cypriot |
malta | malta;republic of malta | maltese |
turkey | turkey;turkiye;republic of turkey | turkish |
russia | russia;russian federation | russian |
ukraine | ukraine | ukrainian |
israel | israel;state of israel | israeli |
uae | united arab emirates;uae;federal laws of the united arab emirates | emirati |
dubai | dubai;emirate of dubai | | uae
abu dhabi | abu dhabi;emirate of abu dhabi | | uae
difc | difc;dubai international financial centre | | dubai
adgm | adgm;abu dhabi global market | | abu dhabi
saudi arabia | saudi arabia;kingdom of saudi arabia;ksa | saudi;saudi arabian |
qatar | qatar;state of qatar | qatari |
qfc | qfc;qatar financial centre | | qatar
kuwait | kuwait;state of kuwait | kuwaiti |
bahrain | bahrain;kingdom of bahrain | bahraini |
oman | oman;sultanate of oman | omani |
egypt | egypt;arab republic of egypt | egyptian |
south africa | south africa;republic of south africa | south african |
nigeria | nigeria;federal republic of nigeria | nigerian |
kenya | kenya;republic of kenya | kenyan |
ghana | ghana;republic of ghana | ghanaian |
mauritius | mauritius;republic of mauritius | mauritian |
brazil | brazil;federative republic of brazil | brazilian |
mexico | mexico;united mexican states | mexican |
chile | chile;republic of chile | chilean |
colombia | colombia;republic of colombia | colombian |
peru | peru;republic of peru | peruvian |
argentina | argentina;republic of argentina | argentine;argentinian |
panama | panama;republic of panama | panamanian |
liberia | liberia;republic of liberia | liberian |
marshall islands | marshall islands;republic of the marshall islands | marshallese |
bermuda | bermuda;islands of bermuda | bermudian;bermudan |
cayman islands | cayman islands;cayman | caymanian |
british virgin islands | british virgin islands;bvi;territory of the british virgin islands | |
bahamas | bahamas;commonwealth of the bahamas | bahamian |
"""


_STATES = """
alabama;alaska;arizona;arkansas;california;colorado;connecticut;delaware;florida;hawaii;idaho;illinois;indiana;iowa;kansas;kentucky
louisiana;maine;maryland;massachusetts;michigan;minnesota;mississippi;missouri;montana;nebraska;nevada;new hampshire;new jersey;new mexico
north carolina;north dakota;ohio;oklahoma;oregon;pennsylvania;rhode island;south carolina;south dakota;tennessee;texas;utah;vermont;virginia
washington;west virginia;wisconsin;wyoming
"""
"""The states of the US whose names mean nothing else beside "law"; Georgia is a country too (below)."""
_STATE_ADJECTIVES = {
    "texas": ("texan", "tex"),
    "florida": ("fla",),
    "california": ("californian", "cal", "calif"),
    **{name: (name[:3],) for name in ("delaware", "nevada")},
    **{name: (name[:4],) for name in ("arizona", "colorado", "connecticut", "minnesota", "oklahoma", "tennessee")},
}
"""Adjectives, and the traditional abbreviations that are no other word ("Del. law")."""


def _state(name: str) -> Jurisdiction:
    return Jurisdiction(
        name, (name, f"state of {name}", f"{name} state", f"commonwealth of {name}"), _STATE_ADJECTIVES.get(name, ()), "usa"
    )


def _read(row: str) -> Jurisdiction:
    key, names, adjectives, part_of = (cell.strip() for cell in row.split("|"))
    return Jurisdiction(key, tuple(filter(None, names.split(";"))), tuple(filter(None, adjectives.split(";"))), part_of)


JURISDICTIONS: dict[str, Jurisdiction] = {row.split("|")[0].strip(): _read(row) for row in _ROWS.strip().splitlines()}
JURISDICTIONS.update({name: _state(name) for name in _STATES.replace("\n", ";").strip(";").split(";")})
_STATE_OF_GEORGIA = ("state of georgia", "georgia state", "georgia usa", "georgia united states", "georgia united states of america")
JURISDICTIONS["georgia us"] = Jurisdiction("georgia us", _STATE_OF_GEORGIA, (), "usa")
JURISDICTIONS["georgia"] = Jurisdiction("georgia", ("georgia",), ("georgian",), "georgia us")
AMBIGUOUS = {"georgia": "georgia us"}
"""The bare name of a state that is a country too: which one is meant, the clause tells."""


def is_nested(one: str, other: str) -> bool:
    """Is one of the two jurisdictions a part of the other (New South Wales of Australia, the DIFC of Dubai)?"""
    return other in _chain(one) or one in _chain(other)


def _chain(key: str) -> tuple[str, ...]:
    larger = JURISDICTIONS[key].part_of
    return (key, *_chain(larger)) if larger else (key,)
