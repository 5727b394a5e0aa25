import HttpConvFormats
import HttpConvPlatform

/// Writes entities in OData 2.0's JSON for requests, which lacks the `d` of answers.
enum JSONEntityWriter {
    static func bytes(_ entity: ServiceEntity) throws(MobileServicesError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do { return Array(try encoder.encode(json(entity))) } catch {
            throw MobileServicesError(
                .invalidProperty, "A property's value cannot be written as JSON: nothing was sent.",
                underlyingError: error)
        }
    }

    private static func json(_ entity: ServiceEntity) -> JSONValue {
        var members = entity.properties.mapValues(\.json)
        for (name, entities) in entity.related { members[name] = .array(entities.map(json)) }
        return .object(members)
    }
}
