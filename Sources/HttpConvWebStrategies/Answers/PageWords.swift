import HttpConvFormats

/// The meaning of a button's or a check box's label, in the commonest languages of login pages.
///
/// Only the choice of a default depends on it: an unknown word on a page's only button makes it a question for a
/// person.
enum PageWords {
    /// Whether a label refuses, goes back or leaves.
    static func refuses(_ label: String) -> Bool { matches(label, refusals) }

    /// Whether the label of a page's only button just leads on: its beginning says so, and it neither refuses nor
    /// consents. A button without a label is the browser's own, "Submit". All other words may give consent. A word for
    /// sending leads on if it is the whole label, since "Send my data" is more than that.
    static func leadsOn(_ label: String) -> Bool {
        guard !refuses(label), !consents(label) else { return false }
        let words = words(of: label)
        if words.isEmpty { return label.trimmingBlanks.isEmpty }
        return words.count == 1 && sendings.contains(words[0])
            || begins(words, with: onwards)
    }

    /// Whether a label begins with the name of a login.
    static func namesLogin(_ label: String) -> Bool { begins(words(of: label), with: logins) }

    /// The button to press in a form that was filled in: the first one whose whole label is the name of a login, else the
    /// first one that does not refuse. Some forms have a button for another purpose ahead, such as to register, or to
    /// search the site.
    ///
    /// - Parameter labels: the labels of the buttons
    /// - Returns: its index; nil without buttons
    static func usualButton(of labels: [String]) -> Int? {
        let on = labels.indices.filter { !refuses(labels[$0]) }
        return on.first { isLogin(labels[$0]) } ?? on.first ?? labels.indices.first
    }

    /// Whether a label is the name of a login and nothing else: "Log in with …" is another way to do it.
    private static func isLogin(_ label: String) -> Bool {
        let words = words(of: label)
        return loginNames.contains { $0.count == words.count && words.starts(with: $0, by: isWord) }
    }

    /// Whether a label gives consent.
    static func consents(_ label: String) -> Bool { !refuses(label) && matches(label, agreements) }

    /// Whether a link's label decides something: it leaves, or gives consent. Words of sentences, such as "not", do not
    /// count.
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
        "autorizza", "toestaan", "akkoord", "tillåt*", "godkänn*", "samtyck*", "tillad*", "tillat*", "salli*",
        "hyväksy*",
        "zezw*", "zgadzam", "povolit", "souhlas*", "разреш*", "соглас*", "同意*", "許可*", "允许*", "授权*", "동의*", "허용*",
    ]
    /// The first words of labels that lead on; a word with * is the beginning of a word.
    private static let onwards =
        [
            "continu*", "proceed", "next", "ok", "okay", "go", "submit", "start", "retry", "try again", "got it",
            "enter",
            "click here", "weiter*", "fortfahren", "fortsetzen", "los", "starten", "erneut", "verstanden", "suivant",
            "poursuivre", "siguiente", "seguir", "iniciar", "avanti", "prosegui*", "doorgaan", "verder", "volgende",
            "prosseguir", "avançar", "seguinte", "fortsätt", "nästa", "fortsæt", "næste", "fortsett", "neste", "jatka",
            "seuraava", "kontynuuj", "dalej", "pokračovat", "další", "продолжить", "далее", "devam", "ileri", "続*",
            "次へ*", "继续*", "下一步*", "繼續*", "계속*", "다음*",
        ].map { $0.split(separator: " ").map(String.init) } + logins
    /// The words that name a login.
    private static let logins = loginNames + [["single", "sign"], ["sso"]]
    /// The same without those of a login at another server.
    private static let loginNames = [
        "login", "log in", "log on", "logon", "sign in", "sign on", "signin", "anmelden", "einloggen", "se connecter",
        "accedi", "inloggen",
    ].map { $0.split(separator: " ").map(String.init) }
    /// The labels that browsers and pages give to a button that sends a form, "Submit", in other languages.
    private static let sendings: Set = [
        "send", "absenden", "senden", "abschicken", "übermitteln", "envoyer", "soumettre", "valider", "enviar",
        "submeter", "invia", "inviare", "verzenden", "versturen", "indienen", "skicka", "lähetä", "wyślij", "prześlij",
        "odeslat", "odoslať", "küldés", "trimite", "gönder", "отправить", "надіслати", "送信", "送信する", "提交",
        "發送", "送出", "제출", "전송",
    ]
    private static let reminders = [
        "remember", "stay signed", "stay logged", "keep me", "keep signed", "trust this", "don't ask", "do not ask",
        "don't show", "merken", "angemeldet bleiben", "eingeloggt bleiben", "gerät vertrauen", "browser vertrauen",
        "se souvenir", "rester connect",
        "recordar", "ricordami", "onthoud",
    ]

    private static func matches(_ label: String, _ words: [String]) -> Bool {
        Self.words(of: label).contains { part in words.contains { isWord(part, $0) } }
    }

    private static func begins(_ words: [String], with beginnings: [[String]]) -> Bool {
        beginnings.contains { words.starts(with: $0, by: isWord) }
    }

    private static func words(of label: String) -> [String] {
        // An apostrophe does not end a word: "don't".
        let text = label.lowercased().filter { $0 != "'" && $0 != "’" }
        return text.split { !$0.isLetter }.map(String.init)
    }

    /// Whether a text is a word of a list.
    private static func isWord(_ text: String, _ word: String) -> Bool {
        word.hasSuffix("*") ? text.hasPrefix(word.dropLast()) : text == word
    }
}
