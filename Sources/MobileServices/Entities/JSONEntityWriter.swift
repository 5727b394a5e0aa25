import Foundation

/// Writes entities in OData 2.0's JSON for requests, which lacks the `d` of answers.
enum JSONEntityWriter {
    static func bytes(_ entity: ServiceEntity) throws(MobileServicesError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do { return Array(try encoder.encode(node(entity))) } catch {
            throw MobileServicesError(
                .invalidProperty, "A property's value cannot be written as JSON: nothing was sent.",
                underlyingError: error)
        }
    }

    private static func node(_ entity: ServiceEntity) -> JSONNode {
        var members = entity.properties.mapValues { JSONNode.value($0) }
        for (name, entities) in entity.related { members[name] = .array(entities.map(node)) }
        return .object(members)
    }
}
