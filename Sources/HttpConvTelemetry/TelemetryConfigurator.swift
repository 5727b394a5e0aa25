public import HttpConversation
public import Metrics
public import Tracing

/// Spans and metrics of conversations, by swift-distributed-tracing and swift-metrics.
///
/// A span for each conversation, within it one for each exchange and for each conversation that it starts, such as a token
/// request; attributes by OpenTelemetry's names, none of them secret. Requests to the origin that the application asked for
/// carry `traceparent` and `tracestate` (W3C Trace Context); no other server gets them: no identity provider, no token
/// server, none that a redirect leads to.
///
/// Apply it last: an exchange's span begins where its request is complete.
///
/// ```swift
/// let manager = HttpConversationManager(login, TelemetryConfigurator())
/// ```
public struct TelemetryConfigurator: ManagerConfigurator {
    private let traces: TraceObserver?
    private let metrics: MetricsObserver?

    /// Spans and metrics by what the process has bootstrapped.
    public init() { self.init(tracer: InstrumentationSystem.tracer, metrics: MetricsSystem.factory) }

    /// Spans and metrics by given means.
    ///
    /// - Parameters:
    ///   - tracer: nil: there are no spans, and no field is sent
    ///   - metrics: nil: nothing is measured
    public init(tracer: (any Tracer)?, metrics: (any MetricsFactory)?) {
        traces = tracer.map { TraceObserver(tracer: $0) }
        self.metrics = metrics.map { MetricsObserver(factory: $0) }
    }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        if let traces {
            configuration.observers.add(traces, id: "telemetry.spans")
            configuration.requestFilters.add(TraceContextFilter(traces: traces), id: "telemetry.context")
        }
        if let metrics { configuration.observers.add(metrics, id: "telemetry.metrics") }
    }
}
