#if os(Linux)
import HttpConvFormats

/// Runs our functions in the login's page, in an isolated world that the page's scripts do not see.
struct PageInspector: Sendable {
    let connection: DevToolsConnection
    let answers: SingleUseAnswers
    let isHeadless: Bool

    /// The timeout for calls. In a window, a dialog blocks the page while the person reads it; a hung browser is
    /// detected elsewhere.
    private var limit: Duration { isHeadless ? DevToolsConnection.answerLimit : .seconds(24 * 3600) }

    /// Returns nil while there is no page to inspect.
    func look(session: String, frame: String) async throws -> PageSnapshot? {
        try await describe(session: session, frame: frame).flatMap {
            PageSnapshot($0.look, world: $0.world, answers: answers)
        }
    }

    /// Describes the page, and returns the isolated world of the description. Returns nil while there is no page to
    /// inspect.
    func describe(session: String, frame: String) async throws -> (look: JSONValue, world: JSONValue)? {
        let parameters: [String: JSONValue] = ["frameId": .string(frame), "worldName": .string("login")]
        let world: JSONValue
        do {
            let answer = try await connection.call("Page.createIsolatedWorld", parameters, in: session, within: limit)
            guard let id = answer["executionContextId"] else { return nil }
            world = id
        } catch is DevToolsError { return nil }
        let value = try await call(PageScripts.look, [], session: session, world: world)
        return value.map { ($0, world) }
    }

    /// Calls one of our functions in the page. Returns nil if the page is gone.
    func call(
        _ function: String, _ arguments: [JSONValue], session: String, world: JSONValue
    ) async throws -> JSONValue? {
        do {
            let answer = try await connection.call(
                "Runtime.callFunctionOn",
                [
                    "functionDeclaration": .string(function), "executionContextId": world,
                    "arguments": .array(arguments.map { .object(["value": $0]) }), "returnByValue": .bool(true),
                    "silent": .bool(true), "userGesture": .bool(true), "awaitPromise": .bool(true),
                ], in: session, within: limit)
            return answer["result"]?["value"]
        } catch is DevToolsError { return nil }
    }
}
#endif
