/// A feature of applications that an administrator may allow or withhold.
public struct FeatureVectorPolicy: Hashable, Sendable, Codable {
    /// The server's id of the policy.
    public let id: String?
    /// The feature's name.
    public let name: String?
    /// What a person should see as its name.
    public let displayName: String?
    /// What the feature is.
    public let text: String?
    /// The plugin that it is in.
    public let pluginName: String?
    /// The module that it is in.
    public let jsModule: String?
    /// The version of the plugin.
    public let version: String?
    /// What is allowed of it.
    public let whitelist: String?

    /// Names differ in their capitals between servers.
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
