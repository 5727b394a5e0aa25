public import Foundation

/// A request as a landscape received it.
public struct RecordedRequest: Sendable, Hashable, Codable {
    /// Counts the requests of a landscape, from 0.
    public let id: Int
    /// Where it arrived.
    public let origin: LandscapeOrigin
    /// The connection it came over; equal ids mean a reused connection.
    public let connection: Int
    /// When its head had arrived, by the landscape's clock.
    public let time: Date
    /// The method.
    public let method: String
    /// The request target: the path with its query, as sent.
    public let target: String
    /// The subject of the certificate that the client has shown, if any.
    public let certificate: String?
    /// All header fields in the order of the wire, duplicates included.
    public let fields: [HeaderField]
    /// How many body bytes have arrived, after removal of chunk framing.
    public internal(set) var bodyLength = 0
    /// Whether the request's end has arrived.
    public internal(set) var isComplete = false
    /// The status of the final response, nil until its head was written.
    public internal(set) var status: Int?

    /// The target without its query.
    public var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The values of all fields of that name, whatever its case.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
