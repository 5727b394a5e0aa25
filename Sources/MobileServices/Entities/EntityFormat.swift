/// The format in which a client writes entities and requests them. It reads both formats.
public enum EntityFormat: Hashable, Sendable, CaseIterable {
    /// The verbose JSON of OData 2.0.
    case json
    /// Atom (RFC 4287, OData 2.0).
    case atom

    /// The media type of a request's body.
    var contentType: String {
        switch self {
        case .json: "application/json; charset=utf-8"
        case .atom: "application/atom+xml; type=entry; charset=utf-8"
        }
    }

    var accept: String {
        switch self {
        case .json: "application/json"
        case .atom: "application/atom+xml, application/xml"
        }
    }

    func bytes(_ entity: ServiceEntity) throws(MobileServicesError) -> [UInt8] {
        switch self {
        case .json: try JSONEntityWriter.bytes(entity)
        case .atom: try AtomEntityWriter.bytes(entity)
        }
    }

    /// Reads an entity.
    func entity(_ bytes: [UInt8]) throws(EntityFailure) -> ServiceEntity {
        switch self {
        case .json: try JSONEntityReader.entity(bytes)
        case .atom: try AtomEntityReader.entity(bytes)
        }
    }

    /// The message of the service's error, in this format.
    func message(_ bytes: [UInt8]) -> String? {
        switch self {
        case .json: JSONEntityReader.message(bytes)
        case .atom: AtomEntityReader.message(bytes)
        }
    }
}
