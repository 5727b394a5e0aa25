/// The name of an event in transcripts and spans. Custom events have names of their own.
package enum EventName: String {
    case conversationStarted, attemptStarted, exchangeStarted, responseReceived, exchangeFailed
    case redirectDecided, challengeReceived, challengeAnswered, responseDecided
    case bodyReceived, clientCertificateUsed, waiting, conversationEnded
    case passwordGiven, personAsked, passwordInTheClear, passwordWithheld, certificateWithheld
    case ticketGiven, ticketUnavailable
    case webLoginStarted, webLoginShown, webLoginFinished
    case tokensNeeded = "oauth2TokensNeeded"
    case tokensAsked = "oauth2TokensAsked"
    case tokensObtained = "oauth2TokensObtained"
    case refreshRefused = "oauth2RefreshRefused"
    case tokensSucceeded = "oauth2TokensSucceeded"
    case storageFailed = "oauth2StorageFailed"
}

/// The name of a detail of an event in transcripts.
package enum EventDetail: String {
    case by, code, endpoint, fingerprint, grant, how, lifetime, operation, origin, outcome, place, principal, purpose,
        reason, seconds, source, space
    case storageURL, strategy, subject, support, why
    case what = "for"
}

extension ConversationEvent.Kind {
    /// The name; nil for a custom event.
    var eventName: EventName? {
        switch self {
        case .conversationStarted: .conversationStarted
        case .attemptStarted: .attemptStarted
        case .exchangeStarted: .exchangeStarted
        case .responseReceived: .responseReceived
        case .exchangeFailed: .exchangeFailed
        case .redirectDecided: .redirectDecided
        case .challengeReceived: .challengeReceived
        case .challengeAnswered: .challengeAnswered
        case .responseDecided: .responseDecided
        case .bodyReceived: .bodyReceived
        case .clientCertificateUsed: .clientCertificateUsed
        case .waiting: .waiting
        case .conversationEnded: .conversationEnded
        case .login(let event): event.name
        case .custom: nil
        }
    }
}

extension LoginEvent {
    fileprivate var name: EventName { nameAndDetails.name }

    /// The name and details in transcripts.
    var nameAndDetails: (name: EventName, details: [EventDetail: String]) {
        switch self {
        case .passwordGiven(let source): (.passwordGiven, [.source: source])
        case .personAsked(let what): (.personAsked, [.what: what])
        case .passwordInTheClear(let space): (.passwordInTheClear, [.space: "\(space)"])
        case .passwordWithheld(let space, let reason):
            (.passwordWithheld, [.space: "\(space)", .reason: reason.rawValue])
        case .certificateWithheld(let origin, let reason):
            (.certificateWithheld, [.origin: "\(origin)", .reason: reason])
        case .ticketGiven(let space, let principal):
            (
                .ticketGiven,
                [.space: "\(space)"].merging(principal.map { [.principal: TerminalText.sanitise($0)] } ?? [:]) { $1 }
            )
        case .ticketUnavailable(let space, let reason):
            (.ticketUnavailable, [.space: "\(space)", .reason: reason])
        case .tokensNeeded(let why): (.tokensNeeded, [.why: why.rawValue])
        case .tokensAsked(let endpoint, let grant):
            (.tokensAsked, [.endpoint: "\(endpoint)", .grant: grant.rawValue])
        case .tokensObtained(let isRefresh, let lifetime):
            (
                .tokensObtained,
                [.how: isRefresh ? "refreshed" : "granted"].merging(lifetime.map { [.lifetime: "\($0)"] } ?? [:]) { $1 }
            )
        case .refreshRefused: (.refreshRefused, [:])
        case .tokensSucceeded(let support, let url):
            (.tokensSucceeded, [.support: support, .storageURL: "\(url)"])
        case .storageFailed(let operation, let code):
            (.storageFailed, [.operation: operation.rawValue, .code: code])
        case .webLoginStarted(let purpose, let origin, let strategy):
            (.webLoginStarted, [.purpose: "\(purpose)", .origin: Self.place(origin), .strategy: strategy])
        case .webLoginShown(let purpose, let origin, let by):
            (.webLoginShown, [.purpose: "\(purpose)", .place: Self.place(origin), .by: by])
        case .webLoginFinished(let purpose, let origin, let strategy, let outcome):
            (
                .webLoginFinished,
                [
                    .purpose: "\(purpose)", .origin: Self.place(origin), .strategy: strategy, .outcome: "\(outcome)",
                ]
            )
        }
    }

    /// The place of a login, for people.
    package static func place(_ origin: Origin?) -> String { origin?.description ?? "another application" }
}
