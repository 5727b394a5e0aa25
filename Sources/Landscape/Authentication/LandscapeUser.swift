/// Somebody who may log in to a landscape.
public struct LandscapeUser: Sendable, Hashable, Codable {
    /// The name, any Unicode.
    public var name: String
    /// The password, any Unicode.
    public var password: String
    /// The realms this user belongs to; nil means all of them.
    public var realms: Set<String>?

    /// A user of all realms, or only of `realms`.
    public init(name: String, password: String, realms: Set<String>? = nil) {
        self.name = name
        self.password = password
        self.realms = realms
    }

    /// alice, bob and carol (ASCII), jürgen (needs UTF-8), rené (ISO-8859-1 is enough).
    public static let defaults: [LandscapeUser] = [
        LandscapeUser(name: "alice", password: "wonderland"),
        LandscapeUser(name: "bob", password: "builder's \"secret\""),
        LandscapeUser(name: "carol", password: "pass:with:colons", realms: ["realm1"]),
        LandscapeUser(name: "jürgen", password: "pässwörd€"),
        LandscapeUser(name: "rené", password: "café"),
    ]
}
