import HttpC

/// What to do where a page of a login could not be had for want of a certificate.
enum CertificateAdvice {
    /// Begins with a space; empty where it is about something else.
    static func text(_ error: ConversationError?, profile: String?) -> String {
        guard error?.code == .clientCertificateRequired else { return "" }
        let place = profile.map { "in origins of [profiles.\($0).cert], or " } ?? ""
        return " A certificate goes to servers that are named for it only: name this one \(place)with --cert-origin."
    }
}
