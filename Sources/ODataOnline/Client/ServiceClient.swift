import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Sends requests to a service, and turns bad answers into errors.
struct ServiceClient: Sendable {
    let manager: HttpConversationManager
    let root: ServiceRoot
    let version: ODataVersion
    let configuration: ODataStoreConfiguration

    private static let errorBytes = 256 << 10

    /// A successful answer with its whole body.
    ///
    /// - Parameter limit: the maximum bytes of the body; nil: those of a row
    func answer(
        _ method: HTTPRequest.Method, _ target: TargetURL, _ fields: HTTPFields = [:], body: RequestBody? = nil,
        limit: Int? = nil
    ) async throws(ODataError) -> ServiceAnswer {
        try await whole(stream(method, target, fields, body: body), limit: limit ?? configuration.limits.rowBytes)
    }

    /// A page with its whole body.
    ///
    /// - Parameter limit: the maximum bytes of the body
    func answer(_ step: PageLinks.Step, limit: Int) async throws(ODataError) -> ServiceAnswer {
        let stream = step.isForeign ? try await foreign(step.target) : try await stream(.get, step.target)
        return try await whole(stream, limit: limit)
    }

    private func whole(_ stream: ConversationStream, limit: Int) async throws(ODataError) -> ServiceAnswer {
        let bytes: [UInt8]
        do throws(ConversationError) {
            bytes = try await stream.body.collect(upTo: limit, within: configuration.limits.waitingTime)
        } catch {
            throw ODataError(error, at: "\(root.url)")
        }
        return ServiceAnswer(
            status: stream.status.code, fields: stream.headerFields, bytes: bytes, url: stream.url,
            sent: stream.sent)
    }

    /// The head of a successful answer, with a body that is still arriving.
    func stream(
        _ method: HTTPRequest.Method, _ target: TargetURL, _ fields: HTTPFields = [:], body: RequestBody? = nil
    ) async throws(ODataError) -> ConversationStream {
        let stream: ConversationStream
        do throws(ConversationError) {
            stream = try await manager.bytes(method, for: target, body: body, fields: complete(fields))
        } catch {
            throw ODataError(error, at: "\(root.url)")
        }
        guard stream.url.origin == root.url.origin else {
            throw ODataError(
                .notAnODataService,
                "\(stream.url.shownOrigin) answered instead of \(root.url): if the service is there, give its address.",
                status: stream.status.code)
        }
        return try await successful(stream)
    }

    /// Requests a page of a trusted origin, without credentials, cookies or filters of the manager.
    func foreign(_ target: TargetURL) async throws(ODataError) -> ConversationStream {
        let stranger = HttpConversationManager(
            transport: manager.transport, configuration: manager.configuration.withoutPerson())
        let stream: ConversationStream
        do throws(ConversationError) {
            stream = try await stranger.bytes(.get, for: target, fields: own(readingFields))
        } catch {
            throw ODataError(error, at: "\(target.origin)")
        }
        guard configuration.trustedOrigins.contains(stream.url.origin) || stream.url.origin == root.url.origin else {
            throw ODataError(
                .linkRefused, "\(target.origin) sends on to \(stream.url.shownOrigin), which is not trusted.",
                status: stream.status.code)
        }
        return try await successful(stream)
    }

    private func successful(_ stream: ConversationStream) async throws(ODataError) -> ConversationStream {
        guard !(200...299).contains(stream.status.code) else { return stream }
        // The error counts even if the body of its answer is too long.
        let bytes =
            (try? await stream.body.collect(upTo: Self.errorBytes, within: configuration.limits.waitingTime)) ?? []
        throw refusal(
            ServiceAnswer(
                status: stream.status.code, fields: stream.headerFields, bytes: bytes, url: stream.url,
                sent: stream.sent))
    }

    // MARK: Fields

    private func complete(_ fields: HTTPFields) -> HTTPFields {
        var result = own(fields)
        for field in configuration.fields { result[field.name] = field.value }
        return result
    }

    /// Adds the fields that the protocol requires (OData 4.01 §8; OData 2.0 "Data Service Version").
    private func own(_ fields: HTTPFields) -> HTTPFields {
        var result = fields
        switch version {
        case .v2:
            result[.maxDataServiceVersion] = "2.0"
            result[.dataServiceVersion] = "2.0"
        case .v4:
            result[.odataMaxVersion] = "4.01"
            result[.odataVersion] = "4.0"
        }
        if !result.contains(.accept) { result[.accept] = jsonAccept }
        return result
    }

    var readingFields: HTTPFields {
        configuration.format == .atom && version == .v2 ? [.accept: "application/atom+xml, application/xml"] : [:]
    }

    private var jsonAccept: String { version == .v2 ? "application/json" : "application/json;odata.metadata=minimal" }

    // MARK: Refusals

    /// The error for the status of an unsuccessful answer.
    func refusal(_ answer: ServiceAnswer) -> ODataError {
        let (code, message): (ODataError.Code, String) =
            switch answer.status {
            case 300...399: (.refused, "sends on to somewhere else, which is not followed")
            case 401: (.notAuthenticated, "asks for a login, and the manager has none that it accepts")
            case 403: (.notAllowed, "does not allow that for the user who is logged in")
            case 404, 410: (.notFound, "has no such thing")
            case 409: (.conflict, "contradicts what the service has")
            case 412: (.preconditionFailed, "has a newer entity: read it, and change that one")
            case 428: (.preconditionRequired, "wants the ETag of the resource to change")
            case 429, 500...599: (.serverFailed, "cannot do that now")
            default: (.refused, "refuses")
            }
        let said: ODataServerError? =
            switch answer.kind {
            case .json: ODataServerError(json: answer.shownBytes)
            case .xml: ODataServerError(xml: answer.shownBytes)
            default: nil
            }
        return ODataError(
            code, "\(root.url) \(message) (status \(answer.status)).", status: answer.status, serverError: said,
            currentETag: answer.status == 412 ? answer.shownETag : nil)
    }

    /// Throws the error that a service wrote into a page after it had begun the page.
    ///
    /// - Parameter sent: the secrets that were sent for the page, which the error may repeat
    func check(_ page: PageEnvelope, _ sent: SentFields) throws(ODataError) {
        if let error = page.error { throw failedMidway(sent.hidden(in: error)) }
    }

    /// - Parameter error: JSON with the service's error, without secrets
    func failedMidway(_ error: [UInt8]) -> ODataError {
        ODataError(
            .serverFailed, "\(root.url) failed in the middle of its answer.",
            serverError: ODataServerError(json: error))
    }

    func malformed(_ problem: FormatFailure, status: Int? = nil) -> ODataError {
        ODataError(
            problem.isTooLarge ? .tooLarge : .malformedAnswer,
            "The answer of \(root.url) cannot be used: \(problem.reason)"
                + (problem.offset.map { ", at byte \($0)" } ?? "") + ".",
            status: status)
    }

    func page(status: Int) -> ODataError {
        ODataError(
            .notAnODataService,
            "\(root.url.origin) answers with a page: \(LoginOutcome.pageAdvice)", status: status)
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let maxDataServiceVersion = HTTPField.Name("MaxDataServiceVersion")!
    static let dataServiceVersion = HTTPField.Name("DataServiceVersion")!
    static let odataMaxVersion = HTTPField.Name("OData-MaxVersion")!
    static let odataVersion = HTTPField.Name("OData-Version")!
    static let odataEntityID = HTTPField.Name("OData-EntityId")!
    static let slug = HTTPField.Name("Slug")!
    static let prefer = HTTPField.Name("Prefer")!
}
