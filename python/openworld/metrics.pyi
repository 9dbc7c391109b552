# Made by python/make_stubs.py from the table of metrics; do not edit.

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple, Union

from numpy.typing import ArrayLike

@dataclass(frozen=True)
class Row:
    name: str
    aliases: Tuple[str, ...]
    family: str
    title: str
    brief: str
    citation: str
    higher_is_better: bool
    positive: str
    open: str
    ties: Any
    params: Tuple[float, ...]
    needs_correct: bool
    needs_overall_correct: bool
    needs_label: bool
    needs_predicted: bool
    takes_base_classes: bool
    takes_threshold: bool
    standard: bool
    is_count: bool
    @property
    def function_name(self) -> str: ...
    @property
    def param_names(self) -> Tuple[str, ...]: ...

def table() -> List[Row]: ...

def openworld_auc(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    ties: Optional[str] = None,
) -> float: ...
owauc = openworld_auc

def open_auc(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    ties: Optional[str] = None,
    open: Union[str, int, None] = None,
) -> float: ...
openauc = open_auc

def auroc(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    ties: Optional[str] = None,
    open: Union[str, int, None] = None,
) -> float: ...
auc = auroc
roc_auc = auroc

def oscr(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    ties: Optional[str] = None,
    open: Union[str, int, None] = None,
) -> float: ...

def base_acc(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
) -> float: ...
base_accuracy = base_acc

def new_acc(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
) -> float: ...
new_accuracy = new_acc

def hm(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
) -> float: ...
h = hm
harmonic_mean = hm

def overall_acc(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    overall_correct: ArrayLike,
) -> float: ...
overall_accuracy = overall_acc

def aupr_base(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
) -> float: ...
aupr = aupr_base
aupr_in = aupr_base

def aupr_new(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
) -> float: ...
aupr_out = aupr_new

def fpr_at_tpr(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    tpr: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...
fpr95 = fpr_at_tpr

def fpr_at_tpr_new(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    tpr: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...

def aupr_base_trapezoid(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
) -> float: ...

def aupr_new_trapezoid(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
) -> float: ...

def detection_acc(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
) -> float: ...
dtacc = detection_acc
detection_accuracy = detection_acc

def error_at_tpr(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    tpr: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...
error95 = error_at_tpr

def p_at_r(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    recall: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...
p95r = p_at_r

def p_at_r_exact(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    recall: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...

def r_at_p(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    precision: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...
r95p = r_at_p

def r_at_p_exact(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    precision: float = 0.95,
    open: Union[str, int, None] = None,
) -> float: ...

def openworld_auc_at_miss(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    miss: float = 0.1,
    ties: Optional[str] = None,
) -> float: ...

def openworld_auc_at_miss_hit(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    miss: float = 0.5,
    hit: float = 0.2,
    ties: Optional[str] = None,
) -> float: ...

def hit_at_miss(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    miss: float = 0.1,
) -> float: ...
hit_rate = hit_at_miss

def mean_class_acc_base(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    label: ArrayLike,
) -> float: ...
macro_base_acc = mean_class_acc_base

def mean_class_acc_new(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    label: ArrayLike,
) -> float: ...
macro_new_acc = mean_class_acc_new

def open_f_macro(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    label: ArrayLike,
    predicted: ArrayLike,
    base_classes: int,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
macro_f = open_f_macro
open_set_f_macro = open_f_macro

def open_f_micro(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
micro_f = open_f_micro
open_set_f_micro = open_f_micro

def normalised_acc(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    base_classes: int,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
na = normalised_acc
nacc = normalised_acc
normalized_acc = normalised_acc

def aks(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    base_classes: int,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...

def aus(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    base_classes: int,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...

def youden_j(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    label: ArrayLike,
    predicted: ArrayLike,
    base_classes: int,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
youden = youden_j

def tp_count(
    side: ArrayLike,
    score: ArrayLike,
    correct: ArrayLike,
    *,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
tp = tp_count

def ose_count(
    side: ArrayLike,
    score: ArrayLike,
    correct: Optional[ArrayLike] = None,
    *,
    open: Union[str, int, None] = None,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> float: ...
ose = ose_count
