import HTTPTypes
import HttpConversation

/// The values of attributes and labels. There are few of them, whatever servers and callers send.
enum TelemetryNames {
    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "dpop", "negotiate", "ntlm", AuthenticationMethod.clientCertificate.name,
        AuthenticationMethod.serverTrust.name,
    ]

    /// A registered method, or `_OTHER`, which is OpenTelemetry's value for other methods.
    static func method(_ method: HTTPRequest.Method) -> String {
        methods.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    /// The name of an exchange's span: a registered method, or `HTTP`.
    static func span(_ method: HTTPRequest.Method) -> String {
        methods.contains(method.rawValue) ? method.rawValue : "HTTP"
    }

    /// The name and the version of a protocol such as `TLS 1.3`, as OpenTelemetry has them: `tls` and `1.3`.
    static func tls(_ version: String) -> (name: String, version: String)? {
        let words = version.split(separator: " ")
        return words.count == 2 ? (words[0].lowercased(), String(words[1])) : nil
    }

    /// A registered scheme, or `other`.
    static func scheme(_ method: AuthenticationMethod) -> String {
        schemes.contains(method.name) ? method.name : "other"
    }

    /// The outcome of a login.
    static func loginOutcome(_ outcome: LoginEvent.Outcome) -> String {
        if case .failed = outcome { "failed" } else { "\(outcome)" }
    }

    /// The class of a status, such as `2xx`, or the code of an error.
    static func outcome(_ event: ConversationEvent) -> String {
        event.error?.code.description ?? event.response.map { "\($0.status.code / 100)xx" } ?? "none"
    }
}
