package fold

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Distinctive reports whether the plain form of a person's name says enough to
// be looked for inside a longer query (rule "contained" of decisions section 2):
// eight letters in all, and two different words of two letters or more that are
// no particles.
func Distinctive(form string) bool {
	letters := 0
	for _, r := range form {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	var telling []string
	for _, w := range Words(form) {
		if utf8.RuneCountInString(w) >= 2 && !isParticle(w) && !slices.Contains(telling, w) {
			telling = append(telling, w)
		}
	}
	return letters >= 8 && len(telling) >= 2
}

func isParticle(word string) bool { return strings.Contains(particles, " "+word+" ") }

// particles are words of names that thousands of people share: articles, "son
// of", "father of", honorifics. Each stands between blanks.
const particles = " abu abou abi aba um umm oum bin ben ibn ould wuld walad ouled bint binti bt " +
	"al el ul ad ar as ash at az an ud ur us uz abd abdul abdel abdal abdoul " +
	"haji hajji hadji haj hajj hadj alhaj alhaji elhaj " +
	"mullah mulla mola maulavi maulawi mawlawi maulvi molvi moulavi mufti qari hafiz hafez " +
	"sheikh sheik shaikh shaykh cheikh sayyid sayid sayed sayyed seyed seyyed syed imam ustad ustaz " +
	"dr mr mrs ms prof eng engr gen col maj capt lt brig general colonel major captain " +
	"de da do dos das di del della dela la le los las les du des der den dem van von vander zu zur ten ter y e i " +
	"jr sr ii iii iv " +
	"ابو ابي بن ابن بنت ال عبد الحاج حاجي ملا مولوي شيخ الشيخ سيد " +
	"абу ибн бин аль эль хаджи мулла шеих "
