import HttpConvFormats

/// The meaning of a button's or a check box's label, in the commonest languages of login pages.
///
/// Only the choice of a default depends on it: an unknown word makes the page a question for a person.
enum PageWords {
    /// Whether a label refuses, goes back or leaves.
    static func refuses(_ label: String) -> Bool { matches(label, refusals) }

    /// Whether a label gives consent.
    static func consents(_ label: String) -> Bool { !refuses(label) && matches(label, agreements) }

    /// Whether a link's label decides something: it leaves, or gives consent. Words of sentences, such as "not", do not count.
    static func decides(_ label: String) -> Bool { matches(label, departures + endings + agreements) }

    /// Whether a text is about a session or a device that is to be remembered.
    static func remembers(_ text: String) -> Bool {
        let text = text.asciiLowercased
        return reminders.contains { text.contains($0) }
    }

    // A word with * is the beginning of a word.
    private static let departures = [
        "cancel", "deny", "decline", "reject", "logout", "signout", "out", "abbrechen", "ablehnen", "abmelden",
        "annuler", "cancelar", "annulla", "annuleren",
    ]
    /// Further departures of links only.
    private static let endings = ["logoff", "signoff", "off", "déconnexion", "déconnecter"]
    private static let refusals =
        departures + [
            "refuse", "disagree", "dont", "not", "no", "back", "later", "skip", "abort", "verweigern", "nein", "nicht",
            "zurück", "später", "refuser", "non", "retour", "rechazar", "denegar", "rifiuta", "nee",
        ]
    private static let agreements = [
        "agree", "accept*", "allow", "authori*", "consent*", "approve", "grant", "permit", "zustimm*", "akzeptier*",
        "erlaub*", "genehmig*", "einverstanden", "accorder", "autoriser", "aceptar", "autorizar", "permitir", "accetta",
        "autorizza", "toestaan", "akkoord",
    ]
    private static let reminders = [
        "remember", "stay signed", "stay logged", "keep me", "keep signed", "trust this", "don't ask", "do not ask",
        "don't show", "merken", "angemeldet bleiben", "eingeloggt bleiben", "gerät vertrauen", "browser vertrauen",
        "se souvenir", "rester connect",
        "recordar", "ricordami", "onthoud",
    ]

    private static func matches(_ label: String, _ words: [String]) -> Bool {
        // An apostrophe is no end of a word: "don't".
        let text = label.lowercased().filter { $0 != "'" && $0 != "’" }
        return text.split { !$0.isLetter }.contains { part in
            words.contains { $0.hasSuffix("*") ? part.hasPrefix($0.dropLast()) : part == $0 }
        }
    }
}
