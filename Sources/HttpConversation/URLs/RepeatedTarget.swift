import HTTPTypes
import Synchronization

/// The target of a manager's last request. A request for the same URL needs no parsing.
final class RepeatedTarget: Sendable {
    private struct Entry {
        let scheme: String
        let authority: String
        let path: String
        let target: TargetURL
    }

    private let last = Mutex<Entry?>(nil)

    /// The target of a request, as `TargetURL` makes it.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL`` or ``ConversationError/Code/unsupportedScheme``
    func target(of request: HTTPRequest) throws(ConversationError) -> TargetURL {
        // Other paths, such as `*`, depend on the method.
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path,
            path.utf8.first == UInt8(ascii: "/")
        else { return try TargetURL(request) }
        let known = last.withLock { last -> TargetURL? in
            guard let last, Self.isSame(last.path, path), Self.isSame(last.authority, authority),
                Self.isSame(last.scheme, scheme)
            else { return nil }
            return last.target
        }
        if let known { return known }
        let target = try TargetURL(request)
        // A URL with a password is refused, and not kept.
        guard target.userinfo == nil, [scheme, authority, path].allSatisfy(\.isASCII) else { return target }
        last.withLock { $0 = Entry(scheme: scheme, authority: authority, path: path, target: target) }
        return target
    }

    /// Whether the bytes are equal. `==` compares characters: to ASCII text it finds equal only that text, and text
    /// with characters such as the Kelvin sign, which has more bytes.
    private static func isSame(_ ascii: String, _ other: String) -> Bool {
        ascii.utf8.count == other.utf8.count && ascii == other
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
