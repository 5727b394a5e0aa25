import Foundation

/// All entities, as a value, so that a change set can be undone.
struct ODataData: Sendable {
    private(set) var tables: [String: [ODataEntity]]

    init() { tables = ODataSamples.tables }

    func entities(_ set: String) -> [ODataEntity] { tables[set] ?? [] }

    func index(of key: [String: ODataValue], in set: ODataModel.EntitySet) -> Int? {
        tables[set.name]?.firstIndex { entity in set.keys.allSatisfy { entity.properties[$0] == key[$0] } }
    }

    func related(_ entity: ODataEntity, _ navigation: ODataModel.Navigation) -> [ODataEntity] {
        guard let own = entity.properties[navigation.own], own != .null else { return [] }
        return entities(navigation.target).filter { $0.properties[navigation.theirs] == own }
    }

    mutating func add(_ entity: ODataEntity, to set: String) { tables[set, default: []].append(entity) }

    mutating func change(_ set: String, at index: Int, _ change: (inout ODataEntity) -> Void) {
        guard tables[set]?.indices.contains(index) == true else { return }
        change(&tables[set, default: []][index])
    }

    mutating func remove(_ set: String, at index: Int) { tables[set]?.remove(at: index) }
}

/// An entity with the number of its changes.
struct ODataEntity: Sendable {
    var properties: [String: ODataValue]
    var changes = 1
    var media: Media?

    struct Media: Sendable {
        var type: String
        var bytes: [UInt8]
        var changes = 1
    }

    var tag: String { "W/\"\(changes)\"" }
}
