import Foundation
import HTTPTypes
import HttpConversation

/// Refuses requests that a `URLRequest` cannot express or URLSession would change, before anything is sent.
enum URLChecks {
    static func url(of request: TransportRequest) throws(ConversationError) -> URL {
        let target = request.target
        guard target.requestTarget != "*" else {
            throw refused("a request about the whole server (OPTIONS *)", target)
        }
        guard request.method != .connect else { throw refused("the method CONNECT", target) }
        // A path must mean the same on the wire as for cookies and logins here (security rule S1).
        guard !target.path.split(separator: "/").contains(where: isDots) else {
            throw refused("a path with . or .. in it", target)
        }
        let text = target.origin.description + target.requestTarget
        guard let url = URL(string: text), url.absoluteString == text else {
            throw refused("this URL without rewriting it", target)
        }
        return url
    }

    static func refuseBody(of method: HTTPRequest.Method, at target: TargetURL) throws(ConversationError) {
        guard method != .get, method != .head else {
            throw refused("a \(method.rawValue) with a body", target)
        }
    }

    private static func isDots(_ segment: Substring) -> Bool {
        let text = segment.lowercased().replacing("%2e", with: ".")
        return text == "." || text == ".."
    }

    private static func refused(_ what: String, _ target: TargetURL) -> ConversationError {
        ConversationError(
            .invalidRequest,
            "URLSession cannot send \(what) to \(target.origin). Nothing was sent: change the request, or use another transport."
        )
    }
}
