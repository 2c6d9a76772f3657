"""Spellings of legal forms (own table, design/values.md, row "party").

A row lists the spellings of one form, as words without punctuation and diacritics, the way `party_names.tokens` sees them.
Forms are compared, never removed: "Acme GmbH" and "Acme GmbH & Co. KG" are two parties.
"""

from __future__ import annotations

_ROWS = """
limited | ltd
public limited company | plc
private limited | pte ltd | pvt ltd | pte limited | pvt limited | private ltd | p ltd | pteltd | pvtltd
public company limited | pcl | public co ltd | public company ltd
proprietary limited | pty ltd | pty limited | proprietary ltd | pty
company limited | co ltd | co limited | company ltd
private company limited | private company ltd | private co ltd
company | co | coy
corporation | corp
incorporated | inc
limited liability company | llc
professional limited liability company | pllc
limited liability partnership | llp
limited liability limited partnership | lllp
limited partnership | lp
general partnership | gp
professional corporation | pc
national association | na | natl association | natl assn | national assn
federal savings bank | fsb
state savings bank | ssb
trust company | trust co
unlimited liability company | ulc
unlimited company | uc
designated activity company | dac
company limited by guarantee | clg
community interest company | cic
incorporated cell company | icc
protected cell company | pcc
sendirian berhad | sdn bhd | sdn berhad | sendirian bhd
berhad | bhd
perseroan terbatas | pt
tbk | terbuka
perusahaan perseroan persero | pt persero
persero
gesellschaft mit beschrankter haftung | gmbh | g m b h | gesmbh | mbh
gmbh and co kg | gmbh und co kg | gesellschaft mit beschrankter haftung and co kg | gmbh and company kg | gmbh co kg | \
gmbh and co kommanditgesellschaft
gmbh and co kgaa | gmbh und co kgaa | gmbh and company kgaa | gmbh co kgaa
ag and co kg | ag und co kg | ag co kg
ag and co kgaa | ag co kgaa
se and co kg | se co kg
se and co kgaa | se co kgaa
ug haftungsbeschrankt and co kg | ug and co kg
unternehmergesellschaft haftungsbeschrankt | ug haftungsbeschrankt | ug
gemeinnutzige gmbh | ggmbh
aktiengesellschaft | ag
kommanditgesellschaft auf aktien | kgaa
kommanditgesellschaft | kg
offene handelsgesellschaft | ohg
partnerschaftsgesellschaft | partg
eingetragene genossenschaft | eg
anstalt des offentlichen rechts | aor
eingetragener verein | ev
societas europaea | se | societe europeenne
societe a responsabilite limitee | sarl | sa rl | s a rl
societe a responsabilite limitee simplifiee | sarls | sarl s
societe anonyme | sa | sociedad anonima | sociedade anonima
societe par actions simplifiee | sas
societe par actions simplifiee unipersonnelle | sasu
societe en commandite par actions | sca
societe en commandite simple | scs
societe en commandite speciale | scsp | scs p
societe en nom collectif | snc
societe civile immobiliere | sci
societe cooperative | scop | societe cooperative de production
groupement d interet economique | gie
entreprise unipersonnelle a responsabilite limitee | eurl
societe d investissement a capital variable | sicav
societe d investissement en capital a risque | sicar
societa per azioni | spa
societa a responsabilita limitata | srl | sociedad de responsabilidad limitada | s de rl | societate cu raspundere limitata
societa in accomandita per azioni | sapa
societa in accomandita semplice | sas di
societa cooperativa per azioni | scpa
sociedad anonima unipersonal | sau
sociedad limitada | sl
sociedad limitada unipersonal | slu
sociedad anonima de capital variable | sa de cv
sociedad anonima promotora de inversion de capital variable | sapi de cv
sociedad anonima bursatil de capital variable | sab de cv
sociedad de responsabilidad limitada de capital variable | s de rl de cv | srl de cv
sociedad anonima cerrada | sac
sociedad por acciones simplificada | spas
limitada | ltda
sociedade gestora de participacoes sociais | sgps
sociedade anonima de capital aberto | saca
besloten vennootschap | bv | besloten vennootschap met beperkte aansprakelijkheid
besloten vennootschap belgie | bvba | besloten vennootschap met beperkte aansprakelijkheid belgie
naamloze vennootschap | nv
commanditaire vennootschap | cv
vennootschap onder firma | vof
cooperatieve vereniging | cooperatief ua | cooperatie ua | cooperatieve ua
societe a responsabilite limitee belge | sprl
societe cooperative a responsabilite limitee | scrl
aktieselskab | as | aksjeselskap | a s
anpartsselskab | aps | aps anpartsselskab
allmennaksjeselskap | asa
aktiebolag | ab
aktiebolag publ | ab publ
osakeyhtio | oy
oyj | julkinen osakeyhtio
oy ab
hlutafelag | hf
einkahlutafelag | ehf
kommanditbolag | kb
kommanditselskab | ks | k s
osauhing | ou
uzdaroji akcine bendrove | uab
akciju sabiedriba | as lv
spolka akcyjna | sp akc
spolka z ograniczona odpowiedzialnoscia | sp z oo | sp z o o | spzoo
spolka komandytowa | sp k | spk
spolecnost s rucenim omezenym | sro | s r o | spol s r o | spol sro
akciova spolecnost | as cz
korlatolt felelossegu tarsasag | kft
zartkoruen mukodo reszvenytarsasag | zrt
nyilvanosan mukodo reszvenytarsasag | nyrt
reszvenytarsasag | rt
drustvo s ogranicenom odgovornoscu | doo | d o o
dionicko drustvo | dd | d d
aktsionerno druzhestvo | ad
ood | druzhestvo s ogranichena otgovornost
eood | ednolichno druzhestvo s ogranichena otgovornost
anonim sirketi | anonim sirket
limited sirketi | ltd sti | limited sti
obshchestvo s ogranichennoy otvetstvennostyu | ooo
publichnoe aktsionernoe obshchestvo | pao
aktsionernoe obshchestvo | ao | joint stock company | jsc
open joint stock company | ojsc
public joint stock company | pjsc
private joint stock company | prjsc
kabushiki kaisha | kk | kabushiki gaisha
godo kaisha | gk
tokutei mokuteki kaisha | tmk
yugen kaisha | yk
chusik hoesa | jusik hoesa
free zone company | fzco | fz co
free zone establishment | fze
free zone limited liability company | fz llc | fzllc
with limited liability | wll | w l l
saudi joint stock company | sjsc
bahrain shareholding company closed | bsc c | bsc closed
bahrain shareholding company | bsc
societe anonyme omani | saog
closed omani joint stock company | saoc
segregated portfolio company | spc
exempted limited partnership | elp
joint venture | jv
real estate investment trust | reit
"""


def _spellings() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for row in _ROWS.strip().splitlines():
        spellings = [tuple(spelling.split()) for spelling in row.split("|")]
        mark = "§" + "_".join(spellings[0])
        for spelling in spellings:
            table.setdefault(spelling, mark)
    return table


LEGAL_FORMS: dict[tuple[str, ...], str] = _spellings()
"""Words of a spelling to the mark of its form ("§limited"); the mark's first character is in no name."""

LONGEST_FORMS = {spelling[0]: len(spelling) for spelling in sorted(LEGAL_FORMS, key=len)}
"""The first words of the spellings, each with the number of words of the longest that begins with it."""

FOLLOWING_FORMS = frozenset(
    LEGAL_FORMS[tuple(form.split())]
    for form in "ltd|plc|pte ltd|pty ltd|co ltd|co|corp|inc|llc|llp|lp|gmbh|gmbh and co kg|sdn bhd|bhd".split("|")
)
"""Forms that, standing right after a name with a form, make it another name; words such as "as" and "se" are too common for it."""
