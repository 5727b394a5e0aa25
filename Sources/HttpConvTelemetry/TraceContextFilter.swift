import HTTPTypes
import HttpConversation
import Instrumentation

/// Tells the server that the application asked for, and no other, to which trace a request belongs.
///
/// Children have no request filters, and so carry nothing: what they ask is nobody's business of the application's servers.
struct TraceContextFilter: RequestFilter {
    let traces: TraceObserver

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let span = traces.openExchange(of: context.id)
        // What the caller gave is the caller's trace.
        guard request.target.origin == context.root.target.origin, let span,
            !request.headerFields.contains(.traceParent)
        else { return }
        traces.tracer.inject(span.context, into: &request.headerFields, using: TraceContextInjector())
    }
}

/// Lets through what W3C Trace Context has. Other fields, such as `baggage`, may carry anything.
private struct TraceContextInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key), name == .traceParent || name == .traceState,
            let field = try? HTTPField(name, checking: value)
        else { return }
        fields[name] = field.value
    }
}

extension HTTPField.Name {
    /// W3C Trace Context §3.2.
    static let traceParent = HTTPField.Name("traceparent")!
    /// W3C Trace Context §3.3.
    static let traceState = HTTPField.Name("tracestate")!
}
