/// What a mobile server wants of an application's log.
public struct LogSettings: Hashable, Sendable, Codable {
    /// The level by its name in the service, such as `NONE` or `DEBUG`; nil where the server does not say.
    public let level: String?
    /// After how many days entries are removed; nil where the server does not say.
    public let expiresInDays: Int?
    /// Whether the log may be uploaded.
    public let isUploadEnabled: Bool
}
