import HTTPTypes
import HummingbirdCore

/// `/basic/NAME/…`: one realm per name.
struct BasicEndpoints: Service {
    func register(in table: inout EndpointTable) {
        table.add("basic") { exchange in
            let realm = Self.realm(named: exchange.segments.count > 1 ? exchange.segments[1] : "realm1")
            guard let user = realm.authenticate(exchange) else { return realm.refusal(to: exchange) }
            return try .json(
                AuthenticatedAnswer(
                    user: user.name, realm: realm.realm, scheme: "Basic", method: exchange.method, path: exchange.path))
        }
    }

    /// Special realms by the segment of the path; any other segment is a realm of its own name.
    static func realm(named segment: String) -> BasicRealm {
        switch segment {
        case "utf8": BasicRealm(realm: "utf8", announcesUTF8: true)
        case "quotes": BasicRealm(realm: #"the "quoted" \ realm"#)
        case "escapes": BasicRealm(realm: "\u{1B}[31mred alert\u{1B}[0m\u{1B}]0;owned\u{7}")
        default: BasicRealm(realm: segment)
        }
    }

    let contents = [
        ContentsEntry("/basic/{realm}/…", "Basic; ISO-8859-1 or UTF-8 credentials, one realm per name"),
        ContentsEntry("/basic/utf8/…", "Basic that announces charset=\"UTF-8\" and accepts nothing else"),
        ContentsEntry("/basic/quotes/…, /basic/escapes/…", "realms with quotes, with terminal escapes"),
    ]
}
