/// The mobile server's settings for an application's log.
public struct LogSettings: Hashable, Sendable, Codable {
    /// The level by its name in the service, such as `NONE` or `DEBUG`; nil if the server does not send it.
    public let level: String?
    /// The days after which entries are removed; nil if the server does not send them.
    public let expiresInDays: Int?
    /// Whether the log may be uploaded.
    public let isUploadEnabled: Bool
}
