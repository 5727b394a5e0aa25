/// A feature of applications that an administrator may allow or withhold.
public struct FeatureVectorPolicy: Hashable, Sendable, Codable {
    /// The server's id of the policy.
    public let id: String?
    /// The feature's name.
    public let name: String?
    /// The feature's name for people.
    public let displayName: String?
    /// The feature's description.
    public let text: String?
    /// The name of the feature's plugin.
    public let pluginName: String?
    /// The name of the feature's module.
    public let jsModule: String?
    /// The version of the plugin.
    public let version: String?
    /// The permitted parts of the feature.
    public let whitelist: String?

    /// Reads a policy. The capitals of the names differ between servers.
    init(_ entity: ServiceEntity) {
        func text(_ name: String) -> String? {
            for (key, value) in entity.properties where key.lowercased() == name { return String(value) }
            return nil
        }
        id = text("id")
        name = text("name")
        displayName = text("displayname")
        self.text = text("description")
        pluginName = text("pluginname")
        jsModule = text("jsmodule")
        version = text("version")
        whitelist = text("whitelist")
    }
}
