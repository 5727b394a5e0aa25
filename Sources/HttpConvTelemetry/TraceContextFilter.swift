import HTTPTypes
import HttpConversation
import Instrumentation

/// Sends the trace context, only to the origin that the application asked for.
///
/// Child conversations have no request filters, so their requests carry no trace context.
struct TraceContextFilter: RequestFilter {
    let traces: TraceObserver

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let span = traces.openExchange(of: context.id)
        // A caller's own trace context stays.
        guard request.target.origin == context.root.target.origin, let span,
            !request.headerFields.contains(.traceParent)
        else { return }
        traces.tracer.inject(span.context, into: &request.headerFields, using: TraceContextInjector())
    }
}

/// Injects the fields of W3C Trace Context only. Other fields, such as `baggage`, may carry anything.
private struct TraceContextInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key), name == .traceParent || name == .traceState,
            let field = try? HTTPField(name, checking: value)
        else { return }
        fields[name] = field.value
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    /// The field of W3C Trace Context §3.2.
    static let traceParent = HTTPField.Name("traceparent")!
    /// The field of W3C Trace Context §3.3.
    static let traceState = HTTPField.Name("tracestate")!
}
