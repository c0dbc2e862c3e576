"""Lightning IR: measures of ir_divmeasures as evaluation metrics of a module, on judgments with subtopics."""

import tiny
from lightning_ir import BiEncoderModule, LightningIRDataModule, LightningIRTrainer, RunDataset
from lightning_ir.models import DprConfig

import ir_divmeasures  # noqa: F401 (registers the measures with ir_measures, which Lightning IR asks)

module = BiEncoderModule(
    tiny.bert_folder(),
    config=DprConfig(),
    evaluation_metrics=['alpha_nDCG@10', 'RBU@10', 'Dsharp_nDCG@10', 'nDCG@10'],
)
data = LightningIRDataModule(
    inference_datasets=[RunDataset(tiny.run_file())], inference_batch_size=8
)
trainer = LightningIRTrainer(accelerator='cpu', logger=False, enable_checkpointing=False)
print(trainer.validate(module, data))
