import HttpConvFormats
import HttpConversation

extension ServiceClient {
    /// The target of a query. A link that the service sent must lead below the root.
    func target(_ query: ODataQuery) throws(ODataError) -> TargetURL {
        let options = try query.query(version)
        guard let (link, rest) = query.path.link else {
            return try root.target(query.path.text(version), query: options)
        }
        let target = try root.inside(link, from: root.url)
        let below = try rest.text(version)
        do throws(ConversationError) {
            let separator = below.isEmpty || below.hasPrefix("(") || target.path.hasSuffix("/") ? "" : "/"
            let place =
                below.isEmpty
                ? target
                : try target.with(path: target.path + separator + below).appending(query: String(target.query ?? ""))
            return try place.appending(query: options)
        } catch {
            throw ODataError(
                .invalidRequest, "The request's address cannot be used: \(error.message)", underlyingError: error)
        }
    }

    func target(_ query: ODataQuery, adding options: String) throws(ODataError) -> TargetURL {
        let target = try target(query)
        do throws(ConversationError) { return try target.appending(query: options) } catch {
            throw ODataError(.invalidRequest, "The request's address cannot be used: \(error.message)")
        }
    }

    /// The name of the type of the values at a path; nil if unknown.
    ///
    /// - Parameter references: the types of the entities that earlier parts of a batch make, by the parts' ids
    func typeName(at path: ODataPath, in model: ODataModel?, references: [String: String] = [:]) -> String? {
        type(at: path, in: model, references: references)?.name
    }

    /// The type at a path; nil if unknown.
    func type(
        at path: ODataPath, in model: ODataModel?, references: [String: String] = [:]
    ) -> ODataModel.TypeReference? { model?.type(at: root.relative(path), references: references) }

    func document(_ answer: ServiceAnswer) throws(ODataError) -> JSONDocument {
        switch answer.kind {
        case .json, .other: break
        case .page: throw page(status: answer.status)
        case .xml, .multipart: throw malformed(FormatFailure("it is not JSON"), status: answer.status)
        }
        do throws(FormatFailure) { return try JSONDocument(answer.bytes, limits: configuration.limits.json) } catch {
            throw malformed(error, status: answer.status)
        }
    }

    /// The object of one entity: `{…}`, or `{"d": {…}}` of OData 2.0, with `results` around it if a function adds that.
    func entity(_ answer: ServiceAnswer) throws(ODataError) -> JSONElement {
        if answer.kind == .xml {
            do throws(FormatFailure) {
                let json = try AtomRowScanner.entry(answer.bytes, limits: configuration.limits.rows)
                return try JSONDocument(json, limits: configuration.limits.json).root
            } catch {
                throw malformed(error, status: answer.status)
            }
        }
        let root = try document(answer).root
        let entity = version == .v2 ? root["d"] ?? root : root
        guard entity.kind == .object else {
            throw malformed(FormatFailure("it is not an entity"), status: answer.status)
        }
        return entity
    }

    /// The value of a property or the result of an operation: `{"value": …}` or an object of its own, or
    /// `{"d": {"Name": …}}` of OData 2.0.
    ///
    /// - Parameters:
    ///   - name: the last name of the path
    ///   - status: that of the answer
    func property(_ root: JSONElement, name: String?, status: Int) throws(ODataError) -> JSONElement {
        if version == .v2, let data = root["d"] {
            do throws(FormatFailure) {
                let members = try data.members().filter { $0.name != "__metadata" }
                guard members.count == 1, data["results"] == nil else { return data }
                // An entity may have a single property.
                return data["__metadata"] == nil || members[0].name == name ? members[0].value : data
            } catch {
                throw malformed(error, status: status)
            }
        }
        guard let value = root["value"] else { return root }
        do throws(FormatFailure) {
            // An entity or a complex value may have a property of this name, too.
            let isWrapped = try root.members().allSatisfy { name, _ in
                name == "value" || name.contains("@") || name.hasPrefix("odata.")
            }
            return isWrapped ? value : root
        } catch {
            throw malformed(error, status: status)
        }
    }
}
