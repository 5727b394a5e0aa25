import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Sends requests to a mobile server, and turns bad answers into errors.
struct ServiceRequests: Sendable {
    let manager: HttpConversationManager
    let application: MobileApplication

    /// The maximum bytes of an answer. A connection with its related entities has a few kilobytes.
    private static let maximumAnswer = 256 << 10
    /// The server's time for such an answer. The user's time for a login does not count.
    private static let longestTime = Duration.seconds(120)

    /// The answer of any status, with its body.
    func answer(
        _ method: HTTPRequest.Method, _ target: TargetURL, of connection: String?, fields: HTTPFields = [:],
        body: RequestBody? = nil
    ) async throws(MobileServicesError) -> ServiceAnswer {
        let limited = manager.copy()
        limited.update { $0.limitNetworkTime(to: Self.longestTime) }
        let stream = try await ServiceRequests(manager: limited, application: application).stream(
            method, target, of: connection, fields: fields, body: body)
        let status = stream.status.code
        do throws(ConversationError) {
            let bytes = try await stream.body.collect(upTo: Self.maximumAnswer)
            return ServiceAnswer(
                status: status, fields: stream.headerFields, bytes: bytes, sent: stream.sent)
        } catch {
            // The status of an error counts even if its body is too long.
            guard error.code == .tooLarge, !(200...299).contains(status) else {
                throw .wrapping(error, at: application)
            }
            return ServiceAnswer(status: status, fields: stream.headerFields, bytes: [])
        }
    }

    /// The head of an answer, with a body that is still arriving.
    ///
    /// - Parameter connection: the id of the connection to name; nil: the manager's filter decides
    /// - Throws: ``MobileServicesError/Code/notAMobileServer`` if another server answered, or this one from a path that
    ///   is not below the root
    func stream(
        _ method: HTTPRequest.Method, _ target: TargetURL, of connection: String?, fields: HTTPFields = [:],
        body: RequestBody? = nil
    ) async throws(MobileServicesError) -> ConversationStream {
        let manager = manager.copy()
        if let connection {
            let filter = ConnectionFilter(application: application, target: target, connection: connection)
            manager.update { $0.add(filter) }
        }
        let stream: ConversationStream
        do throws(ConversationError) {
            stream = try await manager.bytes(for: HTTPRequest(method, target, fields: fields), body: body)
        } catch {
            throw .wrapping(error, at: application)
        }
        guard application.contains(stream.url) || stream.url == target else {
            let place = stream.url.origin == application.root.origin ? "Another path of " : ""
            throw MobileServicesError(
                .notAMobileServer,
                "\(place)\(stream.url.shownOrigin) answered instead of \(application.root): if that is the mobile server, "
                    + "give its address.",
                status: stream.status.code)
        }
        return stream
    }

    // MARK: Reading

    /// The entity of a successful answer.
    func entity(_ answer: ServiceAnswer) throws(MobileServicesError) -> ServiceEntity {
        guard case .entity(let format) = try kind(answer) else {
            throw malformed(answer, "its type is neither JSON nor Atom")
        }
        do throws(EntityFailure) { return try format.entity(answer.bytes) } catch {
            throw error.property == nil
                ? malformed(answer, error.reason)
                : MobileServicesError(
                    .wrongType, "The answer about \(application) cannot be used: \(error.reason).",
                    property: error.property, status: answer.status)
        }
    }

    /// The JSON of a successful answer.
    func document(_ answer: ServiceAnswer) throws(MobileServicesError) -> JSONValue {
        guard case .entity(.json) = try kind(answer) else { throw malformed(answer, "its type is not JSON") }
        guard let document = JSONValue(answer.bytes) else {
            throw malformed(answer, "it is not valid JSON, or nested too deeply")
        }
        return document
    }

    private func kind(_ answer: ServiceAnswer) throws(MobileServicesError) -> AnswerKind {
        if answer.kind == .page { throw page(status: answer.status) }
        return answer.kind
    }

    func malformed(_ answer: ServiceAnswer, _ reason: String) -> MobileServicesError {
        MobileServicesError(
            .malformedAnswer, "The answer about \(application) cannot be used: \(reason).", status: answer.status)
    }

    func page(status: Int) -> MobileServicesError {
        MobileServicesError(
            .notAMobileServer,
            "\(application.root.origin) answers with a page: \(LoginOutcome.pageAdvice)", status: status)
    }

    // MARK: Refusals

    /// The error for the status of an unsuccessful answer.
    ///
    /// - Parameters:
    ///   - action: the failed action, such as "Registering"
    ///   - missing: the code and the message for a 404
    func refusal(
        _ answer: ServiceAnswer, _ action: String, missing: (code: MobileServicesError.Code, message: String)
    ) -> MobileServicesError {
        let (code, message): (MobileServicesError.Code, String) =
            switch answer.status {
            case 401: (.notAuthenticated, "asks for a login, and the manager has none that it accepts")
            case 403: (.notAllowed, "does not allow that for the user who is logged in")
            case 404, 410: (missing.code, missing.message)
            case 405, 501: (.refused, "does not know this method: another updateStyle may do")
            case 429, 500...599: (.serverFailed, "cannot do that now: try again later")
            default: (.refused, "refuses")
            }
        var reason: String?
        if case .entity(let format) = answer.kind {
            // A server may repeat what was sent.
            reason = format.message(answer.sent?.hidden(in: answer.bytes) ?? answer.bytes)
        }
        return MobileServicesError(
            code, "\(action) \(application) failed with the status \(answer.status): the server \(message).",
            status: answer.status, serverMessage: reason)
    }
}

/// Names a certain connection in a request to the mobile server, and not where a redirect leads (security rule S7).
private struct ConnectionFilter: RequestFilter {
    let application: MobileApplication
    /// The request's own URL. An id may make its path look like another one.
    let target: TargetURL
    let connection: String

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard application.contains(request.target) || request.target == target else { return }
        // The session may have another connection by now.
        request.headerFields[.connectionID] = connection
        application.identify(&request.headerFields, connection: connection)
    }
}
