/// The way in which a protected resource challenges: the first segment after `/saml/`, with words joined by `-`.
///
/// The first word is the request's binding (`post`, `redirect`), the second one the response's (`post`, `artifact`).
/// After them may follow, in any order: `noheader`, `force` (ForceAuthn), `401` or `403` (the status of the form),
/// `never` (every session is refused), `utf16`, `chunks` (the form comes in pieces of seven bytes), `detour` (a
/// redirect to `/saml/detour?…`, and the challenge there), and the name of a ``SAMLLoginStyle``.
struct SAMLVariant: Sendable {
    var request = SAMLBinding.post
    var response = SAMLBinding.post
    var hasHeader = true
    var forcesLogin = false
    var status = 200
    var isNever = false
    var isUTF16 = false
    var isChunked = false
    var hasDetour = false
    var style: SAMLLoginStyle?

    /// Reads the words; nil if one is unknown or a binding is missing.
    init?(_ text: String) {
        self.init(words: text.split(separator: "-").map(String.init))
    }

    init?(words: [String]) {
        guard words.count >= 2, let request = SAMLBinding(rawValue: words[0]), request != .artifact,
            let response = SAMLBinding(rawValue: words[1]), response != .redirect
        else { return nil }
        (self.request, self.response) = (request, response)
        for word in words.dropFirst(2) {
            switch word {
            case "noheader": hasHeader = false
            case "force": forcesLogin = true
            case "401", "403": status = Int(word) ?? 200
            case "never": isNever = true
            case "utf16": isUTF16 = true
            case "chunks": isChunked = true
            case "detour": hasDetour = true
            default:
                guard let style = SAMLLoginStyle(rawValue: word) else { return nil }
                self.style = style
            }
        }
    }
}
