package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HeapBudgetTest {

  @Test
  void whatACallHoldsIsGivenBackWhenItEnds() {
    HeapBudget budget = new HeapBudget(100, Duration.ofMillis(20));
    try (HeapBudget.Lease one = budget.lease();
        HeapBudget.Lease other = budget.lease()) {
      one.take("a chunk", 60);
      other.take("a chunk", 40);
      assertThat(budget.free()).isZero();
      assertThatThrownBy(() -> other.take("an answer", 1))
          .isInstanceOf(HeapBudget.BusyException.class);
      assertThat(budget.free()).isZero();
    }
    assertThat(budget.free()).isEqualTo(100);
  }

  @Test
  void moreThanThereIsForAllCallsIsRefusedAtOnce() {
    HeapBudget budget = new HeapBudget(100, Duration.ofHours(1));
    try (HeapBudget.Lease one = budget.lease()) {
      one.take("a chunk", 60);
      assertThatThrownBy(() -> one.take("an answer", 41))
          .isInstanceOfSatisfying(
              ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
          .hasMessageContaining("101")
          .hasMessageContaining("100");
      assertThatThrownBy(() -> one.take("an answer", Long.MAX_VALUE))
          .isInstanceOf(ArrayMorphException.class);
    }
  }

  @Test
  void waitsUntilAnotherCallEnds() {
    HeapBudget budget = new HeapBudget(100, Duration.ofSeconds(20));
    HeapBudget.Lease one = budget.lease();
    one.take("a chunk", 60);
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(
            () -> {
              try (HeapBudget.Lease other = budget.lease()) {
                other.take("a chunk", 50);
              }
            });
    assertThat(waiting).isNotDone();
    one.close();
    waiting.join();
    assertThat(budget.free()).isEqualTo(100);
    assertThatThrownBy(() -> one.take("late", 1))
        .isInstanceOf(Deadline.SliceTimeoutException.class);
  }
}
