import HTTPTypes
import HttpConvFormats

/// Function imports of OData 2.0, functions and actions of 4.0.
extension ODataStore {
    /// Calls a function.
    ///
    /// - Parameters:
    ///   - function: the name of a function at the root of the service, or the qualified name of a bound one
    ///   - path: the value that a bound function is called on (4.0)
    ///   - parameters: the arguments by their names
    /// - Returns: a value, an entity as ``ODataValue/complex(_:)``, or several as ``ODataValue/collection(_:)``, from
    ///   all pages of the answer
    public func call(
        function: String, on path: ODataPath? = nil, _ parameters: KeyValuePairs<String, ODataValue> = [:]
    ) async throws(ODataError) -> ODataValue {
        try await result(
            send(call(function: function, on: path, parameters, method: .get)),
            type(ofResultOf: function, on: path, parameters))
    }

    /// The rows of a function that returns many, page after page (4.0).
    public func rows(
        ofFunction function: String, on path: ODataPath? = nil, _ parameters: KeyValuePairs<String, ODataValue> = [:]
    ) throws(ODataError) -> ODataRows<ODataRow> {
        let request = try call(function: function, on: path, parameters, method: .get)
        guard request.query.isEmpty else {
            throw ODataError(.invalidRequest, "Functions of OData 2.0 have no pages: use call(function:on:_:).")
        }
        return rows(ODataQuery(request.path))
    }

    /// Calls an action; in OData 2.0, a function that changes something (`POST`).
    ///
    /// - Parameters:
    ///   - action: the name of an action at the root of the service, or the qualified name of a bound one
    ///   - path: the value that a bound action is called on (4.0)
    ///   - parameters: the arguments by their names
    ///   - etag: the version of that value
    @discardableResult
    public func call(
        action: String, on path: ODataPath? = nil, _ parameters: KeyValuePairs<String, ODataValue> = [:],
        ifMatch etag: String? = nil
    ) async throws(ODataError) -> ODataValue {
        var request: ServiceRequest
        if version == .v2 {
            request = try call(function: action, on: path, parameters, method: .post)
        } else {
            var row = ODataRow()
            for (name, value) in parameters { row[name] = value }
            request = ServiceRequest(
                method: .post, path: path?.property(action) ?? ODataPath(action),
                body: try EntityWriter(version: version, model: model).json(
                    row, types: types(ofParametersOf: action, on: path)),
                entity: etag == nil ? nil : path)
        }
        request.fields = try RequestMaker.ifMatch(etag)
        return try await result(send(request), type(ofResultOf: action, on: path, parameters))
    }

    /// The names of the types of an action's parameters, if the model is known. The value that it is called on decides
    /// which of the actions of this name it is.
    private func types(ofParametersOf action: String, on path: ODataPath?) -> [String: String] {
        guard let path else {
            let parameters = model?.imports[action]?.parameters ?? []
            return Dictionary(parameters.map { ($0.name, $0.type.name) }) { first, _ in first }
        }
        let binding = client.type(at: path, in: model)
        return model?.operation(named: action, boundTo: binding, parameters: nil)?.types ?? [:]
    }

    /// The name of the type of an operation's result, if the model is known.
    private func type(
        ofResultOf operation: String, on path: ODataPath?, _ parameters: KeyValuePairs<String, ODataValue>
    ) -> String? {
        guard let path else { return model?.imports[operation]?.returnType?.name }
        let binding = client.type(at: path, in: model)
        return model?.operation(named: operation, boundTo: binding, parameters: parameters.map(\.key))?.returnType?.name
    }

    private func call(
        function: String, on path: ODataPath?, _ parameters: KeyValuePairs<String, ODataValue>,
        method: HTTPRequest.Method
    ) throws(ODataError) -> ServiceRequest {
        guard version == .v2 else {
            let parts = parameters.map { ODataKey.Part(name: $0.key, value: $0.value) }
            return ServiceRequest(
                method: method, path: (path ?? ODataPath(segments: [])).adding(function: function, parts))
        }
        guard path == nil else {
            throw ODataError(.invalidRequest, "OData 2.0 calls functions at the root of the service only.")
        }
        var options: [String] = []
        for (name, value) in parameters {
            try ODataName.check(name)
            options.append(
                "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(try EdmLiteral.text(value, version)))")
        }
        return ServiceRequest(method: method, path: ODataPath(function), query: options.joined(separator: "&"))
    }

    private func result(_ answer: ServiceAnswer, _ type: String?) async throws(ODataError) -> ODataValue {
        guard answer.status != 204, answer.bytes.contains(where: { $0 > 0x20 }) else { return .null }
        return try await value(answer, type)
    }
}

extension RowReader {
    /// Reads the result: a value, an entity or several.
    func result(_ value: JSONElement, _ kind: EdmKind, _ shape: RowShape) throws(ODataError) -> ODataValue {
        let results = client.version == .v2 ? value["results"] : nil
        let array = value.kind == .array ? value : results.flatMap { $0.kind == .array ? $0 : nil }
        if let array {
            var elements: [ODataValue] = []
            for element in array.elements { elements.append(try result(element, kind, shape)) }
            return .collection(elements)
        }
        return value.kind == .object ? .complex(try row(value, shape)) : try self.value(value, kind)
    }
}
