package un

import "strings"

// countryTable gives the ISO 3166-1 alpha-2 code of every member and observer
// state of the United Nations by its official English short name (UNTERM, DGACM
// list of member states). Behind a bar stand former short names and shorter forms
// in common use.
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
BN Brunei Darussalam | Brunei
BO Bolivia (Plurinational State of) | Bolivia
BR Brazil
BS Bahamas | Bahamas (The)
BT Bhutan
BW Botswana
BY Belarus
BZ Belize
CA Canada
CD Democratic Republic of the Congo | Congo (Democratic Republic of the)
CF Central African Republic
CG Congo | Republic of the Congo
CH Switzerland
CI Côte d'Ivoire | Cote d'Ivoire | Ivory Coast
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
GH Ghana
GM Gambia | Gambia (Republic of The) | The Gambia
GN Guinea
GQ Equatorial Guinea
GR Greece
GT Guatemala
GW Guinea-Bissau | Guinea Bissau
GY Guyana
HN Honduras
HR Croatia
HT Haiti
HU Hungary
ID Indonesia
IE Ireland
IL Israel
IN India
IQ Iraq
IR Iran (Islamic Republic of) | Islamic Republic of Iran | Iran
IS Iceland
IT Italy
JM Jamaica
JO Jordan
JP Japan
KE Kenya
KG Kyrgyzstan
KH Cambodia
KI Kiribati
KM Comoros
KN Saint Kitts and Nevis
KP Democratic People's Republic of Korea | North Korea
KR Republic of Korea | South Korea
KW Kuwait
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
MK North Macedonia | The former Yugoslav Republic of Macedonia
ML Mali
MM Myanmar | Burma
MN Mongolia
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
PS State of Palestine | Palestine
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
TZ United Republic of Tanzania | Tanzania
UA Ukraine
UG Uganda
US United States of America | United States
UY Uruguay
UZ Uzbekistan
VA Holy See
VC Saint Vincent and the Grenadines
VE Venezuela (Bolivarian Republic of) | Venezuela
VN Viet Nam | Vietnam
VU Vanuatu
WS Samoa
YE Yemen
ZA South Africa
ZM Zambia
ZW Zimbabwe`

// countryCodes returns countryTable as a map from countryKey to code.
func countryCodes() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(countryTable) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name := range strings.SplitSeq(names, "|") {
			codes[countryKey(name)] = code
		}
	}
	return codes
}

// countryKey is the form in which names of countries are compared: the list
// writes apostrophes straight and curly, and breaks long names over lines.
func countryKey(name string) string {
	return strings.ToLower(strings.ReplaceAll(clean(name), "’", "'"))
}
