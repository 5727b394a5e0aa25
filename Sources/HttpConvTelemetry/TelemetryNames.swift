import HTTPTypes
import HttpConversation

/// What values of attributes and labels are called: few, whatever servers and callers think of.
enum TelemetryNames {
    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "dpop", "negotiate", "ntlm", AuthenticationMethod.clientCertificate.name,
        AuthenticationMethod.serverTrust.name,
    ]

    /// A method that is registered, else `HTTP`, as OpenTelemetry calls spans of others.
    static func method(_ method: HTTPRequest.Method) -> String {
        methods.contains(method.rawValue) ? method.rawValue : "HTTP"
    }

    /// A scheme that is registered, else `other`.
    static func scheme(_ method: AuthenticationMethod) -> String {
        schemes.contains(method.name) ? method.name : "other"
    }

    /// What a login was for.
    static func purpose(_ name: String?) -> String {
        name.flatMap { ["SAML2", "OAuth2", "OTP"].contains($0) ? $0 : nil } ?? "other"
    }

    /// How a login ended.
    static func loginOutcome(_ name: String?) -> String {
        name.flatMap { ["succeeded", "cancelled", "timedOut", "abandoned"].contains($0) ? $0 : nil } ?? "failed"
    }

    /// The hundred of a status, such as `2xx`, or the code of an error.
    static func outcome(_ event: ConversationEvent) -> String {
        event.error?.code.description ?? event.response.map { "\($0.status.code / 100)xx" } ?? "none"
    }
}
