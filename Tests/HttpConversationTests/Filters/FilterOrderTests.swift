import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Filters are asked in order of addition: the first that answers wins, the second is not asked.
@Suite(.timeLimit(.minutes(1))) struct FilterOrderTests {
    private typealias Answer = ScriptedTransport.Answer

    @Test(arguments: [["a", "b"], ["b", "a"]]) func theFirstChallengeFilterThatAnswersWins(order: [String]) async throws
    {
        let transport = ScriptedTransport { request, _ in
            request.authorization == nil ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"]) : Answer(.ok)
        }
        let asked = Box<[String]>([])
        let manager = testManager(transport) { configuration in
            for name in ["silent"] + order {
                let filter = TestFilter(onChallenge: { _, _ in
                    asked.update { $0.append(name) }
                    return name == "silent" ? .notHandled : .use(TokenCredential(token: name), .conversation)
                })
                configuration.challengeFilters.add(filter, id: name)
            }
        }
        let response = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(response.status == .ok)
        #expect(asked.value == ["silent", order[0]])
        #expect(transport.requests.map(\.authorization) == [nil, "Basic \(order[0])"])
    }

    /// The challenges are the outer loop: a later filter answers the stronger one.
    @Test func theStrongerChallengeComesBeforeTheEarlierFilter() async throws {
        let transport = ScriptedTransport { request, _ in
            request.authorization == nil
                ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R, Bearer realm=R"]) : Answer(.ok)
        }
        let asked = Box<[String]>([])
        let manager = testManager(transport) { configuration in
            for method in [AuthenticationMethod.basic, .bearer] {
                let filter = TestFilter(
                    handles: [method],
                    onChallenge: { _, _ in
                        asked.update { $0.append(method.description) }
                        return .use(TokenCredential(token: method.description), .conversation)
                    })
                configuration.challengeFilters.add(filter, id: method.description)
            }
        }
        let response = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(response.status == .ok)
        #expect(asked.value == [AuthenticationMethod.bearer.description])
    }

    @Test(arguments: [["stop", "restart"], ["restart", "stop"]])
    func theFirstRedirectFilterThatDoesNotFollowWins(order: [String]) async throws {
        let transport = ScriptedTransport { _, index in
            index == 0 ? Answer(.found, [.location: "/next"], body: "moved") : Answer(.ok)
        }
        let asked = Box<[String]>([])
        let manager = testManager(transport) { configuration in
            for name in ["follow"] + order {
                let filter = TestFilter(onRedirect: { _, _ in
                    asked.update { $0.append(name) }
                    switch name {
                    case "follow": return .follow
                    case "stop": return .stop
                    default: return .restart(reason: "login done")
                    }
                })
                configuration.redirectFilters.add(filter, id: name)
            }
        }
        let response = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(asked.value == ["follow", order[0]])
        #expect(response.status == (order[0] == "stop" ? .found : .ok))
        #expect(transport.requests.map(\.target.path) == (order[0] == "stop" ? ["/"] : ["/", "/"]))
    }

    @Test func everyRedirectFilterIsAskedBeforeARedirectIsFollowed() async throws {
        let transport = ScriptedTransport { _, index in
            index == 0 ? Answer(.found, [.location: "/next"]) : Answer(.ok)
        }
        let asked = Box<[String]>([])
        let manager = testManager(transport) { configuration in
            for name in ["first", "second"] {
                let filter = TestFilter(onRedirect: { _, _ in
                    asked.update { $0.append(name) }
                    return .follow
                })
                configuration.redirectFilters.add(filter, id: name)
            }
        }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(asked.value == ["first", "second"])
        #expect(transport.requests.map(\.target.path) == ["/", "/next"])
    }
}
