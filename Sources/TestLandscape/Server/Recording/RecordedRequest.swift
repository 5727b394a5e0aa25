public import Foundation

/// A request as a landscape received it.
public struct RecordedRequest: Sendable, Hashable, Codable {
    /// The number of the request among those of the landscape, from 0.
    public let id: Int
    /// The origin.
    public let origin: LandscapeOrigin
    /// The connection. Equal ids mean a reused connection.
    public let connection: Int
    /// The time at which its head arrived, by the landscape's clock.
    public let time: Date
    /// The method.
    public let method: String
    /// The request target as sent: the path with its query.
    public let target: String
    /// The subject of the client's certificate, if any.
    public let certificate: String?
    /// All header fields in the order of the wire, including duplicates.
    public let fields: [HeaderField]
    /// The number of body bytes that have arrived, without chunk framing.
    public internal(set) var bodyLength = 0
    /// Whether the request has ended.
    public internal(set) var isComplete = false
    /// The status of the final response, nil until its head was written.
    public internal(set) var status: Int?

    /// The target without its query.
    public var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The values of all fields of that name in any case.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
