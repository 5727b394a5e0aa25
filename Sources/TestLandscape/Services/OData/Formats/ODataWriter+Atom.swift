import Foundation

/// Writes entities as Atom, in V2 only.
extension ODataWriter {
    private var namespaces: String {
        " xml:base=\"\(root)\" xmlns=\"http://www.w3.org/2005/Atom\" xmlns:d=\"\(MobileEntity.data)\" "
            + "xmlns:m=\"\(MobileEntity.metadata)\""
    }

    private static let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
    private static let updated = "<updated>2026-01-01T00:00:00Z</updated>"

    func atomFeed(
        _ entities: [ODataEntity], _ set: ODataModel.EntitySet, _ shape: ODataSelection, count: Int?, next: String?,
        isRoot: Bool = true
    ) -> String {
        let count = count.map { "<m:count>\($0)</m:count>" } ?? ""
        let next = next.map { "<link rel=\"next\" href=\"\(Self.attribute($0))\"/>" } ?? ""
        return (isRoot ? Self.head : "") + "<feed\(isRoot ? namespaces : "")>\(count)<id>\(root)\(set.name)</id>"
            + "<title type=\"text\">\(set.name)</title>\(Self.updated)<link rel=\"self\" href=\"\(set.name)\"/>"
            + entities.map { atomEntry($0, set, shape, isRoot: false) }.joined() + next + "</feed>"
    }

    func atomEntry(
        _ entity: ODataEntity, _ set: ODataModel.EntitySet, _ shape: ODataSelection, isRoot: Bool
    ) -> String {
        let uri = uri(entity, set)
        let address = Self.attribute(uri)
        let tag = set.hasTags ? " m:etag=\"\(Self.attribute(entity.tag))\"" : ""
        let properties =
            "<m:properties>"
            + set.properties.filter { shape.shows($0.name) }.map {
                atomProperty(entity.properties[$0.name] ?? .null, $0.type, name: $0.name, isRoot: false)
            }.joined() + "</m:properties>"
        let links = set.navigations.filter { shape.shows($0.name) || shape.expanded[$0.name] != nil }.map { link in
            "<link rel=\"http://schemas.microsoft.com/ado/2007/08/dataservices/related/\(link.name)\" "
                + "type=\"application/atom+xml;type=\(link.isMany ? "feed" : "entry")\" title=\"\(link.name)\" "
                + "href=\"\(address)/\(link.name)\">" + inline(entity, link, shape) + "</link>"
        }.joined()
        let content =
            entity.media.map { "<content type=\"\($0.type)\" src=\"\(address)/$value\"/>\(properties)" }
            ?? "<content type=\"application/xml\">\(properties)</content>"
        return (isRoot ? Self.head : "") + "<entry\(isRoot ? namespaces : "")\(tag)><id>\(root)\(address)</id>"
            + "<title type=\"text\"/>\(Self.updated)<author><name/></author>"
            + "<link rel=\"edit\" title=\"\(set.type)\" href=\"\(address)\"/>"
            + "<category term=\"\(ODataModel.namespace).\(set.type)\" "
            + "scheme=\"http://schemas.microsoft.com/ado/2007/08/dataservices/scheme\"/>\(links)\(content)</entry>"
    }

    private func inline(_ entity: ODataEntity, _ link: ODataModel.Navigation, _ shape: ODataSelection) -> String {
        guard let inner = shape.expanded[link.name], let target = ODataModel.set(link.target) else { return "" }
        let related = inner.apply(to: data.related(entity, link), target, data)
        let text =
            link.isMany
            ? atomFeed(related, target, inner, count: nil, next: nil, isRoot: false)
            : related.first.map { atomEntry($0, target, inner, isRoot: false) } ?? ""
        return "<m:inline>\(text)</m:inline>"
    }

    func atomProperty(_ value: ODataValue, _ type: ODataType, name: String, isRoot: Bool) -> String {
        let namespaces = isRoot ? " xmlns:d=\"\(MobileEntity.data)\" xmlns:m=\"\(MobileEntity.metadata)\"" : ""
        let kind = type == .string ? "" : " m:type=\"\(type.name(version))\""
        if case .complex(let members) = value {
            let inner = ODataModel.address.map {
                atomProperty(members[$0.name] ?? .null, $0.type, name: $0.name, isRoot: false)
            }.joined()
            return "<d:\(name)\(namespaces)\(kind)>\(inner)</d:\(name)>"
        }
        guard let text = ODataText.text(value, type, version) else {
            return "<d:\(name)\(namespaces)\(kind) m:null=\"true\"/>"
        }
        return "<d:\(name)\(namespaces)\(kind)>\(Markup.text(text))</d:\(name)>"
    }

    private static func attribute(_ text: String) -> String {
        Markup.text(text).replacingOccurrences(of: "\"", with: "&quot;")
    }
}
