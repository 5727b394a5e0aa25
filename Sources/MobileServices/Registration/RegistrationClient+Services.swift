import HTTPTypes
public import HttpConversation

/// The services of a mobile server besides registration.
extension RegistrationClient {
    /// The settings from the cloud service's settings exchange, which is separate from the connection.
    ///
    /// - Throws: ``MobileServicesError/Code/contradictoryPolicy``, ``MobileServicesError/Code/wrongType``, others
    public func exchangedSettings() async throws(MobileServicesError) -> ApplicationSettings {
        let answer = try await requests.answer(
            .get, application.settingsExchange, of: connectionID, fields: [.accept: "application/json"])
        guard answer.isSuccess else {
            throw requests.refusal(
                answer, "Reading the settings of", missing: (.notFound, "exchanges no settings with it there"))
        }
        return try ApplicationSettings(exchanged: try requests.document(answer), at: application)
    }

    /// Downloads a bundle of resources that an administrator has made for the application.
    ///
    /// - Parameters:
    ///   - name: the bundle's name, such as `App:1.0`, as in ``ReadOnlyProperty/customizationBundleID``; nil: the
    ///     application's default
    ///   - sink: receives the bundle, complete or not at all
    ///   - progress: called with the number of bytes written to the sink
    /// - Returns: the extension of the bundle's file name, such as `.zip`, if the server sends it
    /// - Throws: ``MobileServicesError/Code/notFound``, others; ``MobileServicesError/Code/conversationFailed`` if the
    ///   sink fails
    @discardableResult
    public func downloadBundle(
        _ name: String? = nil, to sink: some ResponseBodySink,
        progress: @Sendable (_ received: Int) -> Void = { _ in }
    ) async throws(MobileServicesError) -> String? {
        let stream = try await requests.stream(.get, try application.bundle(name), of: connectionID)
        let answer = ServiceAnswer(status: stream.status.code, fields: stream.headerFields, bytes: [])
        guard answer.isSuccess else {
            throw requests.refusal(answer, "Downloading a bundle of", missing: (.notFound, "has no such bundle"))
        }
        if answer.fields[.contentType] != nil, answer.kind == .page { throw requests.page(status: answer.status) }
        do throws(ConversationError) { try await sink.write(stream.body, progress: progress) } catch {
            throw .wrapping(error, at: application)
        }
        return answer.fields[.bundleExtension].map { TerminalText.sanitise($0, limit: 20) }
    }

    /// Uploads a log or a trace.
    ///
    /// - Parameters:
    ///   - body: the trace
    ///   - contentType: the media type, such as `application/xml` for a business transaction
    /// - Throws: ``MobileServicesError/Code/notAllowed`` if an administrator disabled uploads, others
    public func uploadTrace(
        _ body: RequestBody, contentType: String = "text/plain; charset=utf-8"
    ) async throws(MobileServicesError) {
        let type: HTTPField
        do throws(ConversationError) { type = try HTTPField(.contentType, checking: contentType) } catch {
            throw MobileServicesError(
                .invalidProperty, "The type of the trace cannot be sent: \(error.message)", underlyingError: error)
        }
        let answer = try await requests.answer(
            .post, application.traces, of: connectionID, fields: HTTPFields([type]), body: body)
        guard answer.isSuccess else {
            throw requests.refusal(answer, "Uploading a trace of", missing: (.notFound, "takes no traces there"))
        }
        if answer.kind == .page { throw requests.page(status: answer.status) }
    }

    /// Ends the session at the server. The registration stays. If the session has already ended, the user is not asked
    /// to log in.
    ///
    /// The server's cookies are removed from the session. Passwords and tokens in the session or a token manager stay.
    ///
    /// A server may want a token against cross-site request forgery. It is fetched if the manager has the filter for
    /// such tokens.
    ///
    /// - Throws: ``MobileServicesError`` if the session may still be open; the cookies stay then
    public func logOut() async throws(MobileServicesError) {
        let context = manager.detachedContext(for: application.logOut)
        let response: ConversationResponse
        do throws(ConversationError) {
            response = try await context.start(HTTPRequest(.post, application.logOut), body: .bytes([])) { child in
                child.session = context.session
                child.requestFilters = context.configuration.requestFilters
                // The response filters of logins stay away: nobody logs in to log out.
                let filters = context.configuration.responseFilters
                for (id, filter) in zip(filters.ids, filters.elements) where id == Self.csrfFilter {
                    child.responseFilters.add(filter, id: id)
                }
            }
        } catch {
            throw .wrapping(error, at: application)
        }
        let answer = ServiceAnswer(status: response.status.code, fields: response.headerFields, bytes: [])
        guard answer.status != 403 || answer.fields[.csrfToken]?.lowercased() != "required" else {
            throw MobileServicesError(
                .refused,
                "Logging out of \(application) failed with the status 403: the server wants a token against cross-site "
                    + "request forgery (X-CSRF-Token) and gave none. The session may still be open.",
                status: answer.status)
        }
        guard answer.isSuccess || [401, 403].contains(answer.status) else {
            throw requests.refusal(answer, "Logging out of", missing: (.notFound, "ends no sessions there"))
        }
        session.cookies.removeCookies(for: application.logOut)
    }

    /// The id of the filter for tokens against cross-site request forgery (`FlowID.csrf`). This target does not depend
    /// on the one with the logins.
    private static let csrfFilter = "HttpConvAuthFlows.CSRF"
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    fileprivate static let csrfToken = HTTPField.Name("X-CSRF-Token")!
}
