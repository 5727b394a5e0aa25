/// A user who may log in to a landscape.
public struct LandscapeUser: Sendable, Hashable, Codable {
    /// The name, any Unicode.
    public var name: String
    /// The password, any Unicode.
    public var password: String
    /// The realms this user belongs to; nil: all of them.
    public var realms: Set<String>?
    /// The secret of one-time passwords (RFC 6238) in base32; nil: no second factor.
    public var totpSecret: String?

    /// A user of all realms, or only of `realms`.
    public init(name: String, password: String, realms: Set<String>? = nil, totpSecret: String? = nil) {
        self.name = name
        self.password = password
        self.realms = realms
        self.totpSecret = totpSecret
    }

    /// The users alice, bob and carol (ASCII), jürgen (needs UTF-8), rené (ISO-8859-1 is enough).
    public static let defaults: [LandscapeUser] = [
        LandscapeUser(name: "alice", password: "wonderland", totpSecret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
        LandscapeUser(name: "bob", password: "builder's \"secret\"", totpSecret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
        LandscapeUser(name: "carol", password: "pass:with:colons", realms: ["realm1"]),
        LandscapeUser(name: "jürgen", password: "pässwörd€", totpSecret: "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"),
        LandscapeUser(name: "rené", password: "café"),
    ]
}
