public import HttpConversation

/// An application of a mobile server, and the addresses of its services.
///
/// ```swift
/// let application = try MobileApplication(at: "https://mobile.example.com/", id: "com.example.sales")
/// ```
public struct MobileApplication: Hashable, Sendable {
    /// The server's root; its path ends with a slash.
    public let root: TargetURL
    /// The id by which an administrator has made the application known to the server.
    public let id: String
    /// The version of the registration service.
    public let version: ServiceVersion
    /// Whether requests go without a login. The server must allow that to this application.
    public let isPublic: Bool
    /// The name of the device for the server (`X-SMP-DEVICEID`); nil: none is sent.
    public let deviceID: String?
    /// The paths of the other services.
    public let paths: ServicePaths

    /// The URL for registering connections.
    package let connections: TargetURL
    let settingsExchange: TargetURL
    let traces: TargetURL
    let bundles: TargetURL
    let logOut: TargetURL

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - root: the server's address, with the path that a reverse proxy or relay server requires before its services
    ///   - id: letters, digits, `.`, `-` and `_`
    ///   - version: the version of the registration service
    ///   - isPublic: whether requests go without a login
    ///   - deviceID: visible ASCII
    ///   - paths: the paths of the other services
    /// - Throws: ``MobileServicesError/Code/invalidApplication``
    public init(
        at root: some TargetURLConvertible, id: String, version: ServiceVersion = .latest, isPublic: Bool = false,
        deviceID: String? = nil, paths: ServicePaths = ServicePaths()
    ) throws(MobileServicesError) {
        guard ServiceText.isApplicationID(id) else {
            throw MobileServicesError(
                .invalidApplication,
                "The application's id may have letters, digits, dots, hyphens and underscores only.")
        }
        guard deviceID.map(ServiceText.isFieldValue) ?? true else {
            throw MobileServicesError(.invalidApplication, "The device's id may have visible ASCII characters only.")
        }
        let root = try Self.checked(root)
        let urls = ServiceURLs(root: root, id: id)
        connections = try urls.url("odata/applications/\(version)/{appid}/Connections", isPublic: isPublic)
        bundles = try urls.url(paths.bundles, isPublic: isPublic)
        settingsExchange = try urls.url(paths.settingsExchange)
        traces = try urls.url(paths.traces)
        logOut = try urls.url(paths.logOut)
        self.root = root
        self.id = id
        self.version = version
        self.isPublic = isPublic
        self.deviceID = deviceID
        self.paths = paths
    }

    private static func checked(_ root: some TargetURLConvertible) throws(MobileServicesError) -> TargetURL {
        do throws(ConversationError) {
            let url = try root.targetURL()
            guard url.userinfo == nil, url.query == nil, url.fragment == nil else {
                throw ConversationError(
                    .invalidURL, "The server's address has a user name, a query or a fragment: leave it out.")
            }
            return try url.with(path: url.path.hasSuffix("/") ? String(url.path) : "\(url.path)/")
        } catch {
            throw MobileServicesError(
                .invalidApplication, "The mobile server's address cannot be used: \(error.message)",
                underlyingError: error)
        }
    }

    /// Whether a request goes to this server, by origin and whole segments of the path: a relay server has other
    /// servers at the same origin. Paths that a server may resolve to another one do not count. This is stricter than
    /// `PathSpace.contains`: a relay server may decode a separator before it looks for the server (security rule S7).
    func contains(_ target: TargetURL) -> Bool {
        guard target.origin == root.origin, target.path.utf8.starts(with: root.path.utf8) else { return false }
        return !ServiceText.mayLeavePath(target.path)
    }

    /// The URL of one connection.
    func connection(_ id: String) throws(MobileServicesError) -> TargetURL {
        try ServiceURLs.url(connections, "\(connections.path)('\(ServiceText.encodedKey(id))')")
    }

    /// The URL of a bundle; nil: the server's bundle for the application.
    func bundle(_ name: String?) throws(MobileServicesError) -> TargetURL {
        guard let name else { return try ServiceURLs.url(bundles, "\(bundles.path)/") }
        guard ServiceText.isBundleName(name) else {
            throw MobileServicesError(
                .invalidProperty, "A bundle is named by a name and a version, such as App:1.0.",
                property: "CustomizationBundleId")
        }
        return try ServiceURLs.url(bundles, "\(bundles.path)/\(name)")
    }
}

extension MobileApplication: CustomStringConvertible {
    /// The id and the server.
    public var description: String { "\(id) at \(root)" }
}

/// Builds URLs below a root.
private struct ServiceURLs {
    let root: TargetURL
    let id: String

    func url(_ template: String, isPublic: Bool = false) throws(MobileServicesError) -> TargetURL {
        let path =
            (isPublic ? "public/" : "")
            + template.split(separator: "{appid}", omittingEmptySubsequences: false)
            .joined(separator: id)
        guard !path.hasPrefix("/"), !ServiceText.mayLeavePath(path[...]) else {
            throw MobileServicesError(
                .invalidApplication,
                "A path of the mobile server must be relative to its root and must not contain '..'.")
        }
        return try Self.url(root, "\(root.path)\(path)")
    }

    static func url(_ base: TargetURL, _ path: String) throws(MobileServicesError) -> TargetURL {
        do throws(ConversationError) { return try base.with(path: path) } catch {
            throw MobileServicesError(
                .invalidApplication, "A path of the mobile server cannot be used: \(error.message)",
                underlyingError: error)
        }
    }
}
