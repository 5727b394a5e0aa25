import HttpC
import HttpConvFormats

extension Story {
    /// A request as sent, for comparison with the next one. Its secrets are compared, and never printed.
    struct SentRequest {
        let method: String
        let url: String
        private let authorization: String?
        private let proxyAuthorization: String?
        private let hasToken: Bool
        private let cookies: [String: String]
        private let body: String?
        private let isPart: Bool
        private let request: ObservedRequest

        /// - Parameter isPart: whether a flow sends it, rather than the caller
        init(_ request: ObservedRequest, isPart: Bool) {
            let fields = request.headerFields.value
            method = TerminalText.sanitise(request.method.rawValue, limit: 40)
            url = request.target.description
            authorization = fields[.authorization]
            proxyAuthorization = fields[.proxyAuthorization]
            let token = HTTPField.Name("X-CSRF-Token").flatMap { fields[$0] }
            hasToken = token.map { $0.asciiLowercased != "fetch" } ?? false
            cookies = Self.cookies(fields[.cookie] ?? "")
            body = EventText.body(request.bodyLength ?? 0, fields[.contentType]?.mediaType)
            self.isPart = isPart
            self.request = request
        }

        private static func cookies(_ text: String) -> [String: String] {
            var found: [String: String] = [:]
            for pair in text.split(ascii: ";") {
                guard let (name, value) = pair.trimmingSpaces.cut(atASCII: "=") else { continue }
                found[String(name)] = String(value)
            }
            return found
        }

        func isSameQuestion(as other: SentRequest) -> Bool { method == other.method && url == other.url }

        /// The credentials, cookies and body that are new since the request before.
        ///
        /// - Parameters:
        ///   - source: the source of the password
        ///   - ofLogin: whether there has been a login on web pages, whose cookies are new
        ///   - proxyLogin: whether the proxy has just asked for a login
        func changes(since last: SentRequest?, password source: String?, ofLogin: Bool, proxyLogin: Bool) -> [String] {
            var changes: [String] = []
            if let authorization, authorization != last?.authorization {
                changes.append(login(authorization, source, isNew: last?.authorization != nil))
            }
            if proxyLogin || proxyAuthorization != nil && last?.proxyAuthorization == nil {
                changes.append("user name and password for the proxy")
            }
            let names = cookies.filter { last?.cookies[$0.key] != $0.value }.keys.sorted()
            if !names.isEmpty { changes.append(listed(names, ofLogin: ofLogin)) }
            if hasToken, last?.hasToken != true { changes.append("a token against forged requests (CSRF)") }
            if let body, last?.body != body { changes.append(body) }
            return changes
        }

        private func login(_ authorization: String, _ source: String?, isNew: Bool) -> String {
            let place = source.map { " \($0)" } ?? ""
            switch String(authorization.prefix(upToASCII: " ")).asciiLowercased {
            case "basic" where isPart: return "a name and its secret (Basic)"
            case "basic": return "user name and password\(place) (Basic)"
            case "digest": return "user name and password\(place) (Digest)"
            case "negotiate": return "a Kerberos ticket (Negotiate)"
            case "bearer": return isNew ? "the new access token" : "an access token"
            case "dpop": return isNew ? "the new access token (DPoP)" : "an access token (DPoP)"
            default: return "the Authorization field that was given"
            }
        }

        private func listed(_ names: [String], ofLogin: Bool) -> String {
            let shown = names.prefix(5).map { TerminalText.sanitise(request.hidingCredentials(in: $0), limit: 40) }
            let list = shown.joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
            return (names.count == 1 ? "the cookie " : "the cookies ") + list + (ofLogin ? " of the login" : "")
        }
    }
}
