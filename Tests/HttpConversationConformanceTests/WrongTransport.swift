import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import Synchronization

/// The NIO transport with one mistake.
struct WrongTransport: HTTPTransport {
    enum Mistake: String, CaseIterable, Sendable {
        case dropsTheLastChunk, addsAByte, endsQuietly, followsRedirects, answersFromACache, answersChallenges
        case ignoresCancellation, mergesSetCookie, keepsCookies, sendsAnotherMethod, sendsAnotherPath, dropsTheQuery
        case buffersBodies, ignoresIdleTimeouts, ignoresTimeLimits, repeatsServerErrors, forgetsFields, dropsTheBody
        case readsOneShotTwice, neverShutsDown, asksForNoCoding, keepsTheCoding, ignoresTheProxy, trustsAnybody
        case saysCancelled, losesProgress, changesTheStatus, connectsAnew, sharesAnswers, hidesTheSourcesError
    }

    let mistake: Mistake
    private let transport: any HTTPTransport
    private let kept = Kept()
    private let makeAnother: @Sendable () -> any HTTPTransport

    init(_ mistake: Mistake, _ setup: ConformanceSetup) {
        self.mistake = mistake
        let make = { @Sendable () -> any HTTPTransport in
            var configuration = NIOTransport.Configuration()
            configuration.tls.trustRoots = .pem(setup.trustRoots)
            configuration.tls.verifiesCertificates = mistake != .trustsAnybody
            configuration.shutdownGrace = .milliseconds(10)
            return NIOTransport(configuration: configuration)
        }
        makeAnother = make
        transport = make()
    }

    var capabilities: TransportCapabilities { transport.capabilities }

    func shutdown() async { if mistake != .neverShutsDown { await transport.shutdown() } }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let key = "\(request.method) \(request.target)"
        if mistake == .answersFromACache, let known = kept.response(key) { return known }
        if mistake == .ignoresCancellation { return try await detached(request) }
        var response: TransportResponse
        do throws(ConversationError) { response = try await transport(for: request).send(changed(request)) } catch {
            switch mistake {
            case .saysCancelled: throw ConversationError(.cancelled, "It did not work.")
            case .hidesTheSourcesError: throw ConversationError(error.code, error.message)
            default: throw error
            }
        }
        if mistake == .followsRedirects, response.head.status.kind == .redirection, let next = next(response, request) {
            response = try await transport.send(next)
        }
        if mistake == .answersChallenges, response.head.status == .unauthorized {
            response = try await transport.send(Self.request(request, fields: [.authorization: "Basic YTpi"]))
        }
        if mistake == .repeatsServerErrors, response.head.status.code >= 429 {
            response = try await transport.send(request)
        }
        if mistake == .keepsCookies { kept.cookie(response.head.headerFields[.setCookie]) }
        return try await changed(response, key)
    }

    // MARK: Requests

    private func transport(for request: TransportRequest) -> any HTTPTransport {
        mistake == .connectsAnew ? makeAnother() : transport
    }

    private func detached(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let transport = transport
        let result = await Task.detached { () async -> Result<TransportResponse, ConversationError> in
            do throws(ConversationError) { return .success(try await transport.send(request)) } catch {
                return .failure(error)
            }
        }.value
        return try result.get()
    }

    private func changed(_ request: TransportRequest) throws(ConversationError) -> TransportRequest {
        var fields = request.headerFields
        var options = request.options
        var (method, body, target) = (request.method, request.body, request.target)
        switch mistake {
        case .sendsAnotherMethod: method = .get
        case .sendsAnotherPath: target = target.root
        case .dropsTheQuery:
            let path = target.requestTarget.prefix { $0 != "?" }
            if path != "*" { target = try TargetURL("\(target.origin)\(path)") }
        case .keepsCookies: if let cookie = kept.cookie { fields[.cookie] = cookie }
        case .forgetsFields: fields = [:]
        case .dropsTheBody: body = nil
        case .readsOneShotTwice:
            if case .oneShot(let shot) = body?.kind {
                body = .stream(length: shot.length) { RequestBodyStream { try await shot.next() } }
            }
        case .losesProgress: body = body.map { body in .source(Silent(body: body)) }
        case .ignoresIdleTimeouts: options.idleTimeout = .seconds(60)
        case .ignoresTimeLimits: options.timeLimit = nil
        case .asksForNoCoding, .keepsTheCoding: options.decompresses = false
        case .ignoresTheProxy: options.proxy = nil
        default: break
        }
        return TransportRequest(target: target, method: method, headerFields: fields, body: body, options: options)
    }

    private struct Silent: RequestBodySource {
        let body: RequestBody
        func open() async throws(ConversationError) -> OpenedRequestBody { try await body.open() }
    }

    private func next(_ response: TransportResponse, _ request: TransportRequest) -> TransportRequest? {
        guard let location = response.head.headerFields[.location],
            let target = try? TargetURL("\(request.target.origin)\(location)")
        else { return nil }
        return TransportRequest(target: target, method: .get, headerFields: [:], body: nil, options: request.options)
    }

    private static func request(_ request: TransportRequest, fields: HTTPFields) -> TransportRequest {
        TransportRequest(
            target: request.target, method: request.method, headerFields: fields, body: request.body,
            options: request.options)
    }

    // MARK: Responses

    private func changed(_ response: TransportResponse, _ key: String) async throws(ConversationError)
        -> TransportResponse
    {
        var head = response.head
        switch mistake {
        case .mergesSetCookie:
            let cookies = head.headerFields[values: .setCookie]
            if !cookies.isEmpty { head.headerFields[.setCookie] = cookies.joined(separator: ", ") }
        case .changesTheStatus: if head.status.kind == .successful { head.status = .ok }
        case .buffersBodies:
            return with(head, ResponseBody(bytes: try await response.body.collect(upTo: 1 << 30)), response)
        case .answersFromACache:
            let bytes = try await response.body.collect(upTo: 1 << 30)
            if response.head.headerFields[.cacheControl] != nil {
                kept.keep(with(head, ResponseBody(bytes: bytes), response), key)
            }
            return with(head, ResponseBody(bytes: bytes), response)
        case .dropsTheLastChunk, .addsAByte, .endsQuietly:
            return with(
                head, ResponseBody(WrongBody(response.body, mistake), expectedLength: response.body.expectedLength),
                response)
        case .sharesAnswers: return kept.first(with(head, response.body, response))
        default: break
        }
        return with(head, response.body, response)
    }

    private func with(_ head: HTTPResponse, _ body: ResponseBody, _ response: TransportResponse) -> TransportResponse {
        TransportResponse(
            head: head, body: body, reusedConnection: response.reusedConnection, version: response.version,
            isFromProxy: response.isFromProxy)
    }
}

/// The state that a correct transport would not keep.
private final class Kept: Sendable {
    private let state = Mutex<(responses: [String: TransportResponse], cookie: String?, first: HTTPResponse?)>(
        ([:], nil, nil))

    var cookie: String? { state.withLock(\.cookie) }
    func cookie(_ value: String?) { if let value { state.withLock { $0.cookie = value } } }
    func response(_ key: String) -> TransportResponse? { state.withLock { $0.responses[key] } }
    func keep(_ response: TransportResponse, _ key: String) { state.withLock { $0.responses[key] = response } }

    /// Returns the head of the first response for every response.
    func first(_ response: TransportResponse) -> TransportResponse {
        let head = state.withLock { state in
            state.first = state.first ?? response.head
            return state.first ?? response.head
        }
        return TransportResponse(head: head, body: response.body)
    }
}

/// A body with a mistake.
private final class WrongBody: TransportBody {
    private let body: ResponseBody
    private let mistake: WrongTransport.Mistake
    private let ahead = Mutex<(chunk: [UInt8]?, isOver: Bool)>((nil, false))

    init(_ body: ResponseBody, _ mistake: WrongTransport.Mistake) {
        self.body = body
        self.mistake = mistake
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        switch mistake {
        case .endsQuietly: do throws(ConversationError) { return try await body.next() } catch { return nil }
        case .addsAByte:
            if ahead.withLock(\.isOver) { return nil }
            if let chunk = try await body.next() { return chunk }
            ahead.withLock { $0.isOver = true }
            return [0]
        default:
            let chunk = try await body.next()
            guard let chunk else { return nil }
            guard let following = try await body.next() else { return nil }
            return chunk + following
        }
    }

    func cancel() {}
}
