package lists

import "strings"

// Countries finds the ISO 3166-1 alpha-2 codes of countries by their names. It is
// never changed, so it may be used concurrently.
type Countries struct {
	codes map[string]string // by countryKey
}

// NewCountries reads the table of countries.
func NewCountries() Countries {
	codes := map[string]string{}
	for line := range strings.Lines(countryTable) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name := range strings.SplitSeq(names, "|") {
			codes[countryKey(name)] = code
		}
	}
	return Countries{codes}
}

// Code returns the code of a country by a name that the publishers use, in any
// case. It is empty for what names no present state or territory ("na", "former
// Soviet Union", "undetermined").
func (c Countries) Code(name string) string { return c.codes[countryKey(name)] }

// countryKey is the form in which names of countries are compared: the lists write
// apostrophes straight and curly, and break long names over lines.
func countryKey(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(name), " "), "’", "'"))
}

// countryTable gives the ISO 3166-1 alpha-2 code of every member and observer
// state of the United Nations by its official English short name (UNTERM, DGACM
// list of member states), and of the territories that OFAC names. Behind a bar
// stand former short names, shorter forms in common use, and those of OFAC's table
// of countries and of its flags. Kosovo's XK is assigned by users of ISO 3166-1,
// not by the standard.
const countryTable = `AD Andorra
AE United Arab Emirates
AF Afghanistan
AG Antigua and Barbuda
AL Albania
AM Armenia
AO Angola
AR Argentina
AT Austria
AU Australia
AW Aruba
AZ Azerbaijan
BA Bosnia and Herzegovina
BB Barbados
BD Bangladesh
BE Belgium
BF Burkina Faso
BG Bulgaria
BH Bahrain
BI Burundi
BJ Benin
BM Bermuda
BN Brunei Darussalam | Brunei
BO Bolivia (Plurinational State of) | Bolivia
BR Brazil
BS Bahamas | Bahamas (The) | Bahamas, The
BT Bhutan
BW Botswana
BY Belarus
BZ Belize
CA Canada
CD Democratic Republic of the Congo | Congo (Democratic Republic of the) | Congo, Democratic Republic of the
CF Central African Republic
CG Congo | Republic of the Congo | Congo, Republic of the
CH Switzerland
CI Côte d'Ivoire | Cote d'Ivoire | Ivory Coast | Cote d Ivoire
CK Cook Islands
CL Chile
CM Cameroon
CN China
CO Colombia
CR Costa Rica
CU Cuba
CV Cabo Verde | Cape Verde
CY Cyprus
CZ Czechia | Czech Republic
DE Germany
DJ Djibouti
DK Denmark
DM Dominica
DO Dominican Republic
DZ Algeria
EC Ecuador
EE Estonia
EG Egypt
ER Eritrea
ES Spain
ET Ethiopia
FI Finland
FJ Fiji
FM Micronesia (Federated States of) | Micronesia
FR France
GA Gabon
GB United Kingdom of Great Britain and Northern Ireland | United Kingdom
GD Grenada
GE Georgia
GG Guernsey
GH Ghana
GI Gibraltar
GM Gambia | Gambia (Republic of The) | The Gambia
GN Guinea
GQ Equatorial Guinea
GR Greece
GT Guatemala
GW Guinea-Bissau | Guinea Bissau
GY Guyana
HK Hong Kong
HN Honduras
HR Croatia
HT Haiti
HU Hungary
ID Indonesia
IE Ireland
IL Israel
IM Man, Isle of
IN India
IQ Iraq
IR Iran (Islamic Republic of) | Islamic Republic of Iran | Iran
IS Iceland
IT Italy
JE Jersey
JM Jamaica
JO Jordan
JP Japan
KE Kenya
KG Kyrgyzstan
KH Cambodia
KI Kiribati
KM Comoros
KN Saint Kitts and Nevis | St. Kitts and Nevis
KP Democratic People's Republic of Korea | North Korea | Korea, North
KR Republic of Korea | South Korea | Korea, South
KW Kuwait
KY Cayman Islands
KZ Kazakhstan
LA Lao People's Democratic Republic | Laos
LB Lebanon
LC Saint Lucia
LI Liechtenstein
LK Sri Lanka
LR Liberia
LS Lesotho
LT Lithuania
LU Luxembourg
LV Latvia
LY Libya | Libyan Arab Jamahiriya
MA Morocco
MC Monaco
MD Republic of Moldova | Moldova
ME Montenegro
MG Madagascar
MH Marshall Islands
MK North Macedonia | The former Yugoslav Republic of Macedonia | North Macedonia, The Republic of
ML Mali
MM Myanmar | Burma
MN Mongolia
MO Macau
MR Mauritania
MT Malta
MU Mauritius
MV Maldives
MW Malawi
MX Mexico
MY Malaysia
MZ Mozambique
NA Namibia
NE Niger
NG Nigeria
NI Nicaragua
NL Netherlands | Netherlands (Kingdom of the) | Kingdom of the Netherlands
NO Norway
NP Nepal
NR Nauru
NZ New Zealand
OM Oman
PA Panama
PE Peru
PG Papua New Guinea
PH Philippines
PK Pakistan
PL Poland
PS State of Palestine | Palestine | Palestinian | West Bank | Region: Gaza
PT Portugal
PW Palau
PY Paraguay
QA Qatar
RO Romania
RS Serbia
RU Russian Federation | Russia
RW Rwanda
SA Saudi Arabia
SB Solomon Islands
SC Seychelles
SD Sudan
SE Sweden
SG Singapore
SI Slovenia
SK Slovakia
SL Sierra Leone
SM San Marino
SN Senegal
SO Somalia
SR Suriname
SS South Sudan
ST Sao Tome and Principe
SV El Salvador
SY Syrian Arab Republic | Syria
SZ Eswatini | Swaziland
TD Chad
TG Togo
TH Thailand
TJ Tajikistan
TL Timor-Leste
TM Turkmenistan
TN Tunisia
TO Tonga
TR Türkiye | Turkey
TT Trinidad and Tobago
TV Tuvalu
TW Taiwan
TZ United Republic of Tanzania | Tanzania
UA Ukraine
UG Uganda
US United States of America | United States
UY Uruguay
UZ Uzbekistan
VA Holy See
VC Saint Vincent and the Grenadines | St. Vincent and the Grenadines
VE Venezuela (Bolivarian Republic of) | Venezuela
VG Virgin Islands, British | British Virgin Islands
VN Viet Nam | Vietnam
VU Vanuatu
WS Samoa
XK Kosovo
YE Yemen
ZA South Africa
ZM Zambia
ZW Zimbabwe`
