import HttpConvFormats
import HttpConversation

/// The answers to the requests of a batch.
public struct ODataBatchResults: Sendable {
    let client: ServiceClient
    let model: ODataModel?
    let requests: [Int: ServiceRequest]
    /// The addresses of the requests.
    let targets: [Int: TargetURL]
    let outcomes: [Int: Result<ServiceAnswer, ODataError>]

    /// The reason why a request failed; nil if it succeeded.
    public func error(of part: ODataBatch.Part) -> ODataError? {
        do throws(ODataError) {
            try check(part)
            return nil
        } catch {
            return error
        }
    }

    /// Throws the error of a failed request.
    ///
    /// - Throws: ``ODataError/Code/notDone`` if the cause was another request
    public func check(_ part: ODataBatch.Part) throws(ODataError) { _ = try answer(part) }

    /// The rows of a request that reads many. Read further pages with ``ODataStore/page(_:after:)``.
    ///
    /// - Throws: ``ODataError/Code/serverFailed`` if the service failed in the middle of the rows
    public func rows(of part: ODataBatch.Part) throws(ODataError) -> ODataPage<ODataRow> {
        try rows(part, .rows(of: requests[part.id]?.type, in: model, client))
    }

    /// The rows of a request that reads many, as values of a type.
    public func rows<Row: Decodable & Sendable>(
        of part: ODataBatch.Part, as type: Row.Type
    ) throws(ODataError) -> ODataPage<Row> { try rows(part, .values(client)) }

    /// The entity of a request that reads one.
    public func row(of part: ODataBatch.Part) throws(ODataError) -> ODataRow {
        try RowReader(client: client).row(client.entity(answer(part)), RowShape(requests[part.id]?.type, in: model))
    }

    /// The outcome of a request that creates or changes.
    public func written(of part: ODataBatch.Part) throws(ODataError) -> ODataWritten {
        let answer = try answer(part)
        guard let request = requests[part.id] else { throw Self.unknownPart }
        return try client.written(answer, to: request, model)
    }

    private func answer(_ part: ODataBatch.Part) throws(ODataError) -> ServiceAnswer {
        guard let outcome = outcomes[part.id] else { throw Self.unknownPart }
        return try outcome.get()
    }

    private static let unknownPart = ODataError(
        .invalidRequest, "The part belongs to another batch: use the results of that batch.")

    private func rows<Row: Sendable>(
        _ part: ODataBatch.Part, _ decoding: RowDecoding<Row>
    ) throws(ODataError) -> ODataPage<Row> {
        let answer = try answer(part)
        let decode = decoding.make()
        let scanner: any RowScanner =
            answer.kind == .xml
            ? AtomRowScanner(limits: client.configuration.limits.rows)
            : JSONRowScanner(limits: client.configuration.limits.rows)
        let document = JSONDocument(limits: client.configuration.limits.json)
        var rows: [Row] = []
        func next() throws(ODataError) -> Bool {
            do throws(FormatFailure) { return try scanner.nextRow(into: document) } catch {
                throw client.malformed(error, status: answer.status)
            }
        }
        do throws(FormatFailure) { try scanner.append(answer.bytes) } catch { throw client.malformed(error) }
        while try next() { rows.append(try decode(document.root)) }
        do throws(FormatFailure) { try scanner.finish() } catch { throw client.malformed(error) }
        while try next() { rows.append(try decode(document.root)) }
        try client.check(scanner.page, answer.sent)
        let next = try client.nextPage(scanner.page, of: targets[part.id] ?? answer.url)
        return ODataPage(rows: rows, count: scanner.page.count, nextLink: next?.absoluteString)
    }
}
